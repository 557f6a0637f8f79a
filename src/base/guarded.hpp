// Runs code that may run out of memory, and survives it.
//
// The library is compiled without exceptions, yet must never end the user's program. Containers
// that cannot get memory jump back here; what they held is lost, the program goes on.
#pragma once

namespace vftrace {

// Calls work(argument). Returns false if it gave up (a message has been printed then). Calls on
// one thread may nest; the innermost one catches.
bool run_guarded(void (*work)(void*), void* argument);

// Says why, and leaves the innermost run_guarded(). Outside of one, ends the process.
[[noreturn]] void give_up(const char* why);

}  // namespace vftrace
