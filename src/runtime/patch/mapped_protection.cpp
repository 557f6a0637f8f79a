// The current protection of a page, read from /proc/self/maps.
#include "patch/mapped_protection.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {
namespace {

// Reads the lines "start-end rwxp ..." character by character.
class MapsReader {
  public:
    explicit MapsReader(std::uintptr_t address) : address_(address) {}

    // Returns whether `letter` completed the line's protection, and the line covers the address.
    bool take(char letter) {
        if (letter == '\n') {
            *this = MapsReader(address_);
        } else if (letter == '-' && field_ == 0) {
            field_ = 1;
        } else if (letter == ' ') {
            field_++;
        } else if (field_ < 2) {
            std::uintptr_t& number = field_ == 0 ? start_ : end_;
            number = number * 16 + (letter <= '9' ? letter - '0' : letter - 'a' + 10);
        } else if (field_ == 2) {
            protection_ |= letter == 'r' ? PROT_READ : letter == 'w' ? PROT_WRITE : 0;
            protection_ |= letter == 'x' ? PROT_EXEC : 0;
        }
        return letter == ' ' && field_ == 3 && start_ <= address_ && address_ < end_;
    }
    int protection() const { return protection_; }

  private:
    std::uintptr_t address_, start_ = 0, end_ = 0;
    int protection_ = 0;
    unsigned field_ = 0;
};

}  // namespace

int mapped_protection(std::uintptr_t address) {
    int maps =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC));
    if (maps < 0)
        return -1;
    MapsReader reader(address);
    int result = -1;
    char text[1024];
    long size;
    while (result < 0 && (size = syscall(SYS_read, maps, text, sizeof text)) > 0)
        for (long i = 0; i < size && result < 0; i++)
            if (reader.take(text[i]))
                result = reader.protection();
    syscall(SYS_close, maps);
    return result;
}

}  // namespace vftrace
