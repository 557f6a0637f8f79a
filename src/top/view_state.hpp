// The view that the user has chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>

namespace vftrace {

enum class PaneId : std::uint8_t {
    functions,
    tree,
    threads,
    ranks,
    messages,
    gpus,
    sections,
    tasks,
    open,
    rollcall
};
inline constexpr std::size_t pane_count = 10;

// Of what figures are.
enum class TimeSpan : std::uint8_t { interval, start, mark };

struct ViewState {
    PaneId pane = PaneId::functions;
    TimeSpan span = TimeSpan::interval;
    // By pane: index of the column that rows are sorted by, and whether the other way round.
    std::array<std::uint8_t, pane_count> sorted_by{};
    std::array<bool, pane_count> reversed{};
    std::string search;   // regular expression of what is shown; empty: all
    bool typing = false;  // one is being typed
    std::string typed;
    bool frozen = false;          // the figures stay as they are
    bool full_names = false;      // of C++ functions, with parameters
    bool merged_threads = false;  // those of like names
    bool help = false;
    std::size_t selected = 0;  // row of the pane
    std::size_t first = 0;     // row that is on top
    std::size_t first_help_line = 0;
    // Call paths whose callees are shown, or not, against what is usual for their depth.
    std::unordered_set<std::uint32_t> expanded, collapsed;
    std::string message;  // of the last command; shown instead of the keys
    bool message_is_error = false;

    ViewState();  // each pane sorted as is usual for it
    std::size_t pane_index() const { return static_cast<std::size_t>(pane); }
};

}  // namespace vftrace
