// Runs code on our own stack, because the program's may be small or nearly full.
#pragma once

namespace vftrace {

// Calls work(argument) on this thread, on a stack of 8 MiB with a guard page, of which only the
// used part takes memory. If there is no address space for it, on a smaller one or on the caller's.
// Code that unwinds or walks the stack sees the caller's frames above. `work` must return.
void run_on_own_stack(void (*work)(void*), void* argument);

}  // namespace vftrace
