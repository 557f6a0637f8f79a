// Replaces the terminal view in builds without ncurses.
#include "top/screen.hpp"

namespace vftrace {

std::unique_ptr<Screen> open_screen(bool) {
    throw NoScreen("this vftrace was built without ncurses, which a view in the terminal needs "
                   "(Debian: libncurses-dev); --once, --batch and --json do not");
}

}  // namespace vftrace
