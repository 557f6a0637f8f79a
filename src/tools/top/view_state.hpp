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
    rollcall,
    memory
};
inline constexpr std::size_t pane_count = 11;

// The time span of figures.
enum class TimeSpan : std::uint8_t { interval, start, mark };

struct ViewState {
    PaneId pane = PaneId::functions;
    TimeSpan span = TimeSpan::interval;
    // By pane: index of the column by which rows are sorted, and whether the order is reversed.
    std::array<std::uint8_t, pane_count> sorted_by{};
    std::array<bool, pane_count> reversed{};
    std::string search;   // regular expression for the rows to show; empty: all
    bool typing = false;  // a search is being typed
    std::string typed;
    bool frozen = false;          // the figures do not change
    bool full_names = false;      // with the parameters of C++ functions
    bool merged_threads = false;  // threads with similar names
    bool help = false;
    std::size_t selected = 0;  // row of the pane
    std::size_t first = 0;     // first visible row
    std::size_t first_help_line = 0;
    // Call paths whose callees are shown, or hidden, contrary to the default for their depth.
    std::unordered_set<std::uint32_t> expanded, collapsed;
    std::string message;  // of the last command; shown instead of the keys
    bool message_is_error = false;

    ViewState();  // each pane is sorted by its default
    std::size_t pane_index() const { return static_cast<std::size_t>(pane); }
};

}  // namespace vftrace
