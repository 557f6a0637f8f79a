// The tables of the live view: their rows and columns, computed from a model.
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
    count,  // a number of things
    rate,   // things per second
    seconds,
    percent,
    bytes,  // per second
};

struct PaneColumn {
    std::string_view id;  // in JSON, and for --sort
    std::string_view header;
    CellFormat format;
    std::uint8_t width;      // columns; 0: a share of the rest, for names
    bool narrow = true;      // also in a terminal of 80 columns
    bool ascending = false;  // smallest value first: numbers of ranks, names
};

struct PaneKind {
    PaneId id;
    char key;
    std::string_view word;  // for --pane and JSON
    std::string_view title;
    std::string_view tab;  // the title, short enough for a line with those of all panes
    std::span<const PaneColumn> columns;
    std::uint8_t sorted_by;    // index of the initial column
    std::string_view nothing;  // message if there are no rows
};
// By PaneId.
extern const PaneKind pane_kinds[pane_count];
std::optional<PaneId> pane_of(std::string_view word);

struct Cell {
    std::string text;  // for CellFormat::text, or the prefix of a number (">=")
    double number = 0;
};

struct PaneRow {
    std::vector<Cell> cells;          // by column
    std::uint32_t subject = no_path;  // its path, in the tree; else a number that the pane defines
    std::uint32_t depth = 0;          // in the tree
    bool has_callees = false, is_expanded = false;
    bool is_warning = false;
};

struct PaneTable {
    const PaneKind* kind = nullptr;
    TimeSpan span = TimeSpan::start;  // of the figures: at first there is no interval yet
    double span_seconds = 0;
    std::size_t total = 0;      // number of all rows
    std::vector<PaneRow> rows;  // the requested rows
    std::string problem;        // of the search
};

// Rows `first` to `first + count - 1` of the chosen pane.
PaneTable pane_table(const LiveModel& model, const ViewState& view, std::size_t first,
                     std::size_t count);

// A number as cells show it: "349k", "12.3", "4.1M".
std::string cell_text(const Cell& cell, CellFormat format);
std::string short_count(double number);
std::string elapsed_text(double seconds);  // "0.012 s", "83.0 s", "2:05 min", "1:23:45 h"

}  // namespace vftrace
