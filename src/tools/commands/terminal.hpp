// Output of commands on a terminal: colours, the width of tables, a pager.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vftrace::tools {

// The choices of --color.
inline constexpr std::string_view color_auto = "auto", color_always = "always",
                                  color_never = "never";

// Whether output to the descriptor has colours and bold type: with "auto", on terminals unless
// NO_COLOR is set (https://no-color.org) or the terminal is a dumb one.
bool wants_color(std::string_view when, int descriptor);

// The width of the terminal; 0 if the descriptor is not a terminal, or its width is unknown.
std::size_t terminal_columns(int descriptor);

// How wide tables may be: the width of the terminal from 100 to 160 columns, otherwise 160.
std::size_t table_columns(int descriptor);

// Shows the text in a pager ($PAGER, otherwise less -FRX) if standard output is a terminal and the
// text is too long for it. Returns false if the text was not shown and is to be printed.
bool show_in_pager(const std::string& text);

}  // namespace vftrace::tools
