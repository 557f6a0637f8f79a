// The live view without a terminal: text for users and logs, JSON for scripts.
#pragma once

#include <cstddef>
#include <string>

#include "live/live_model.hpp"
#include "top/view_state.hpp"

namespace vftrace {

// The head and at most `limit` rows of the chosen pane, with names in full.
std::string text_of(const LiveModel& model, const ViewState& view, std::size_t limit);

// The same and the processes, as a JSON object in one line. `unix_seconds`: the current time.
std::string json_of(const LiveModel& model, const ViewState& view, std::size_t limit,
                    double unix_seconds);

}  // namespace vftrace
