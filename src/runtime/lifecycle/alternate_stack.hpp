// A stack for signal handlers, so that there is a profile after an overflow of a thread's own
// stack.
#pragma once

#include <cstddef>

namespace vftrace {

// Gives the calling thread an alternate signal stack unless it has one. The program does not see
// it: sigaltstack() reports that there is none, and a stack that the program sets takes precedence.
void give_alternate_stack();

// The stack size that our handlers need, including the kernel's frame, which is larger than
// MINSIGSTKSZ on processors with AVX-512 or AMX.
std::size_t bytes_for_handler();

// The calling thread ends: returns the memory of the stack to the system.
void take_alternate_stack();

}  // namespace vftrace
