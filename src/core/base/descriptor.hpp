// An open file that is closed when its owner is destroyed, and reading from an open file. For
// tools.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <unistd.h>

namespace vftrace {

class Descriptor {
  public:
    // `number`: the result of open(2); below 0: the file is not open.
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0)
            close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    bool is_open() const { return number_ >= 0; }
    operator int() const { return number_; }

  private:
    const int number_;
};

// Reads up to `bytes` bytes of an open file, starting at `offset`. Returns the number read: fewer
// at the end of the file, or after an error. `error`: errno, or 0.
inline std::size_t read_at(int descriptor, std::uint64_t offset, char* target, std::size_t bytes,
                           int& error) {
    error = 0;
    std::size_t done = 0;
    while (done < bytes && error == 0) {
        const ssize_t length =
            pread(descriptor, target + done, bytes - done, static_cast<off_t>(offset + done));
        if (length == 0)
            break;
        if (length > 0)
            done += static_cast<std::size_t>(length);
        else if (errno != EINTR)
            error = errno;
    }
    return done;
}

}  // namespace vftrace
