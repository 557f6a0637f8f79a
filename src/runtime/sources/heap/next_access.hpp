// Which memory a thread accesses next, as its code and registers show.
//
// The processor stops for a sample after instructions that wait for memory, not before them; so the
// next access is often some instructions ahead: in a loop, the same one in the next round.
#pragma once

#include <cstdint>

#include "unwind/registers.hpp"

namespace vftrace {

struct NextAccess {
    unsigned count = 0;
    std::uintptr_t address[2];  // movs and cmps have two
};

// The addresses that the next instruction with a memory operand reads or writes, if it comes within
// a few instructions whose effect on registers is known, without a conditional jump forward; jumps
// back are assumed to be taken. push, pop, calls and returns do not count as accesses of memory.
// Gathers and scatters have the address of their base. Of EVEX instructions with a short
// displacement the address may be wrong by less than 8 KiB, if their operand is not as wide as
// their vectors.
//
// None if it is not known, as in generated code, which may not be readable, and on other processors
// than x86-64. Async-signal-safe.
NextAccess next_access(const Registers& registers);

}  // namespace vftrace
