// Steps from callee to caller with libunwind, for processors that our own rules do not cover.
//
// The library is opened on request, and used as if for another process: through our own functions
// that find tables and read memory. By itself it would find tables with dl_iterate_phdr, under a
// lock that is also held while that function runs callbacks of the program, and these may wait for
// a lock that the interrupted code holds; our functions use _dl_find_object, which takes no lock.
//
// The thread must not be interrupted while it holds libunwind's own locks, and a fork must not copy
// held locks, which would never be released in the child: LibunwindTurn ensures both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "guest/all_signals.hpp"
#include "unwind/registers.hpp"

namespace vftrace {

// Opens libunwind, and makes all unwinders use it from now on. Returns nullptr, or why it cannot be
// used. Allocates memory, so it must not be called in signal handlers.
const char* walk_by_libunwind();

// Whether all unwinders use libunwind.
extern bool walks_are_libunwinds;
// Whether the calling thread has a LibunwindTurn, and therefore all signals blocked: libunwind then
// need not ask the kernel to block them around each of its locks, which would take longer than the
// step.
extern thread_local bool is_in_libunwind;

// Makes libunwind forget what it knows about unloaded code. Async-signal-safe.
void forget_code_of_libunwind();

// While one exists, no fork happens, all signals are blocked, and the thread may step. It is not
// given while a fork is under way, nor in a child that was forked while another thread had one.
class LibunwindTurn {
  public:
    LibunwindTurn();
    ~LibunwindTurn();
    LibunwindTurn(const LibunwindTurn&) = delete;
    LibunwindTurn& operator=(const LibunwindTurn&) = delete;
    explicit operator bool() const { return given_; }

  private:
    std::optional<AllSignalsBlocked> blocked_;
    bool given_;
};

// Zeroed memory is a valid object.
class LibunwindCursor {
  public:
    // Reads a word of the stack; false if that is not possible.
    using Reader = bool (*)(void* source, std::uintptr_t address, std::uintptr_t& word);

    // Sets the cursor to a place: an instruction, or else a return address.
    bool start(const Registers& registers, bool is_instruction);
    // Moves to the caller, and sets its place, stack pointer and frame pointer. Returns false if
    // there is no caller, or no table that libunwind understands. Async-signal-safe.
    bool step(Registers& registers, Reader reader, void* source);

    // For the functions that libunwind calls.
    Registers first;
    Reader reader;
    void* source;
    std::uintptr_t module_start, module_end;  // of the module with the latest tables

  private:
    static constexpr std::size_t words = 640;  // more than any processor needs
    alignas(16) std::uintptr_t cursor_[words];
};

}  // namespace vftrace
