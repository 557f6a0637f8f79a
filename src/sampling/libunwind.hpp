// Steps from callee to caller by libunwind, for processors that our own rules do not cover.
//
// The library is opened on request, and used as for another process: through our own functions that
// find tables and read memory. By itself it would find tables with dl_iterate_phdr, under a lock
// that is also held while the program's callbacks of that function run, and these may wait for a
// lock that the interrupted code holds; our functions use _dl_find_object, which takes no lock.
//
// The thread must not be interrupted while it holds libunwind's own locks, and a fork must not copy
// held locks, which would never be released in the child: LibunwindTurn ensures both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "guest/all_signals.hpp"
#include "sampling/registers.hpp"

namespace vftrace {

// Opens libunwind, and has all unwinders use it from now on. Returns nullptr, or why it cannot be
// used. Takes memory: not in signal handlers.
const char* walk_by_libunwind();

// Whether they do.
extern bool walks_are_libunwinds;
// Whether the calling thread has a LibunwindTurn, and so all signals blocked: libunwind need not
// ask the kernel for that around each of its locks, which takes longer than the step.
extern thread_local bool is_in_libunwind;

// Has libunwind forget what it knows of code that is unloaded. Async-signal-safe.
void forget_code_of_libunwind();

// While one is alive, no fork happens, all signals are blocked, and the thread may step. It is not
// given while a fork is under way, nor in a child that was made in spite of it.
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

// Zeroed memory is a good one.
class LibunwindCursor {
  public:
    // Reads a word of the stack; false if that is not possible.
    using Reader = bool (*)(void* source, std::uintptr_t address, std::uintptr_t& word);

    // Puts it at a place, an instruction or else a return address.
    bool start(const Registers& registers, bool is_instruction);
    // From there to the caller: its place, stack pointer and frame pointer. False if there is none,
    // or no table that is understood. Async-signal-safe.
    bool step(Registers& registers, Reader reader, void* source);

    // Asked by libunwind.
    Registers first;
    Reader reader;
    void* source;
    std::uintptr_t module_start, module_end;  // that the latest tables lie in

  private:
    static constexpr std::size_t words = 640;  // more than any processor's takes
    alignas(16) std::uintptr_t cursor_[words];
};

}  // namespace vftrace
