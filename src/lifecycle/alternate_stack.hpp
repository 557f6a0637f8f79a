// A stack for signal handlers, so that an overflow of a thread's own stack leaves a profile.
#pragma once

#include <cstddef>

namespace vftrace {

// Gives the calling thread an alternate signal stack unless it has one. The program does not see
// it: sigaltstack() says that there is none, and a stack that the program sets comes first.
void give_alternate_stack();

// The stack that our handlers need, including the kernel's frame: on
// processors with AVX-512 or AMX that is more than MINSIGSTKSZ says.
std::size_t bytes_for_handler();

// The calling thread ends: its memory goes back to the system.
void take_alternate_stack();

}  // namespace vftrace
