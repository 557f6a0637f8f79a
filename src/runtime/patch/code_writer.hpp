// Writes single bytes to the program's code.
//
// It uses /proc/self/mem, for which the code need not become writable; if that is refused, it makes
// the page writable for a moment. Its previous protection is read from /proc/self/maps, or from the
// module's headers if that cannot be read.
//
// Uses only system calls, and preserves errno. There must be one writer at a time, with all signals
// blocked: its descriptor is closed again within a few microseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "patch/module_code.hpp"

namespace vftrace {

class CodeWriter {
  public:
    CodeWriter() = default;
    // If something was written, waits until every processor that runs a thread of this process has
    // executed a serialising instruction, if the kernel supports that. Closes the descriptor.
    ~CodeWriter();
    CodeWriter(const CodeWriter&) = delete;
    CodeWriter& operator=(const CodeWriter&) = delete;

    // Changes the byte at `address`, which lies in `module`, if it is `before`. Returns false if it
    // is not, or cannot be written.
    bool write(const ModuleCode& module, std::uintptr_t address, std::uint8_t before,
               std::uint8_t after);
    // Sets `size` bytes from `address` on, in one segment of the module's code, with one system
    // call. May fail where write() does not: then nothing is written. No other thread may change
    // code there at the same time.
    void write_all(const ModuleCode& module, std::uintptr_t address, const std::uint8_t* bytes,
                   std::size_t size);
    // Whether code can be written at all: tried once in a process, by writing the byte at `address`
    // unchanged.
    bool can_write(const ModuleCode& module, std::uintptr_t address);

  private:
    bool put(const ModuleCode& module, std::uintptr_t address, std::uint8_t byte);
    bool put_through_file(std::uintptr_t address, const std::uint8_t* bytes, std::size_t size);

    int descriptor_ = -1;
    bool file_refused_ = false, written_ = false;
};

}  // namespace vftrace
