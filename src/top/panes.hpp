// The tables of the live view: what rows and columns they have, from a model.
//
// The terminal, text without a terminal, and JSON show the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/live_model.hpp"
#include "top/view_state.hpp"

namespace vftrace {

enum class CellFormat : std::uint8_t {
    text,
    count,  // of something
    rate,   // of something a second
    seconds,
    percent,
    bytes,  // a second
};

struct PaneColumn {
    std::string_view id;  // in JSON, and for --sort
    std::string_view header;
    CellFormat format;
    std::uint8_t width;      // columns; 0: a share of what is left, for names
    bool narrow = true;      // also in a terminal of 80 columns
    bool ascending = false;  // the smallest value first: numbers of ranks, names
};

struct PaneKind {
    PaneId id;
    std::string_view word;  // for --pane and JSON
    std::string_view title;
    std::string_view tab;  // the title as there is room for it among those of all panes
    std::span<const PaneColumn> columns;
    std::uint8_t sorted_by;    // index of the column, at first
    std::string_view nothing;  // what is said where there are no rows
};
// By PaneId.
extern const PaneKind pane_kinds[pane_count];
std::optional<PaneId> pane_of(std::string_view word);

struct Cell {
    std::string text;  // of CellFormat::text, and what stands before a number (">=")
    double number = 0;
};

struct PaneRow {
    std::vector<Cell> cells;          // by column
    std::uint32_t subject = no_path;  // its path, in the tree; else a number of the pane's own
    std::uint32_t depth = 0;          // in the tree
    bool has_callees = false, is_expanded = false;
    bool is_warning = false;
};

struct PaneTable {
    const PaneKind* kind = nullptr;
    TimeSpan span = TimeSpan::start;  // that of the figures: at first there is no interval yet
    double span_seconds = 0;
    std::size_t total = 0;      // rows that there are
    std::vector<PaneRow> rows;  // those asked for
    std::string problem;        // with the search
};

// Rows number `first` to `first + count - 1` of the chosen pane.
PaneTable pane_table(const LiveModel& model, const ViewState& view, std::size_t first,
                     std::size_t count);

// A number as cells show it: "1349k", "12.3", "4.1M".
std::string cell_text(const Cell& cell, CellFormat format);
std::string short_count(double number);
std::string elapsed_text(double seconds);  // "0.012 s", "83 s", "1:23:45"

}  // namespace vftrace
