// The effect of keys on the view.
#pragma once

#include <cstddef>

#include "live/live_model.hpp"
#include "top/view_state.hpp"

namespace vftrace {

// Keys that are not characters.
enum TerminalKey : char32_t {
    key_none = 0x110000,
    key_up,
    key_down,
    key_left,
    key_right,
    key_page_up,
    key_page_down,
    key_home,
    key_end,
    key_tab_back,
    key_backspace,
    key_resize,
    key_escape = 27,
    key_enter = '\n',
    key_tab = '\t'
};

// Requests by keys that affect more than the view.
enum class KeyCommand : std::uint8_t { none, quit, mark, snapshot, page };

// Changes the view. `rows`: those of the terminal.
KeyCommand press(ViewState& view, const LiveModel& model, char32_t key, std::size_t rows);

// Moves the cursor and the window to existing rows, because rows come and go.
void keep_in_range(ViewState& view, const LiveModel& model, std::size_t rows);

}  // namespace vftrace
