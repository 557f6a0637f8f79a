// A terminal: paints frames and reads keys.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "top/frame.hpp"

namespace vftrace {

// Why there is no screen, in one line.
class NoScreen : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Screen {
  public:
    virtual ~Screen() = default;
    virtual std::size_t rows() const = 0;
    virtual std::size_t columns() const = 0;
    virtual void paint(const TextFrame& frame) = 0;
    // The next key (top/keys.hpp), or key_none after this number of milliseconds without one.
    virtual char32_t key(int milliseconds) = 0;
};

// Takes over the terminal of standard input and output until the object is destroyed. Throws
// NoScreen if they are not a terminal, if the terminal is too simple, or if this command was built
// without ncurses.
std::unique_ptr<Screen> open_screen(bool colors);

}  // namespace vftrace
