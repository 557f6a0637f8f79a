// The live view as lines of text, independent of the output.
#pragma once

#include <cstddef>

#include "live/live_model.hpp"
#include "top/frame.hpp"
#include "top/view_state.hpp"

namespace vftrace {

// The smallest terminal that has room for a pane.
inline constexpr std::size_t least_rows = 10, least_columns = 40;

// At most this number of rows, each with at most this number of columns. A message in a terminal
// that is smaller than least_rows or least_columns.
TextFrame render(const LiveModel& model, const ViewState& view, std::size_t rows,
                 std::size_t columns);

// How many rows of a pane fit into a terminal with this number of rows.
std::size_t rows_of_pane(std::size_t rows);

// The number of lines of the help text.
std::size_t help_lines();

}  // namespace vftrace
