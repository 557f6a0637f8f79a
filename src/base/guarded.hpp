// Runs code that may run out of memory, and survives it.
//
// The library is compiled without exceptions, yet must never end the user's program. Containers
// that cannot get memory jump back here; what they held is lost, and the program continues. So
// containers may be used only in code that run_guarded() calls; test/test_guards.py follows the
// calls of the whole library to check that.
#pragma once

#include <type_traits>

namespace vftrace {

// See below.
bool run_guarded_function(void (*work)(void*), void* argument);

// Calls work(). Returns false if it gave up (a message has been printed then). Calls on one thread
// may nest; the innermost one catches. No destructors are called of what is left then. The
// thread's locale is restored; everything else that the program would notice must be kept outside.
template <class Work>
bool run_guarded(Work&& work) {
    return run_guarded_function(
        [](void* guarded) { (*static_cast<std::remove_reference_t<Work>*>(guarded))(); }, &work);
}

bool is_guarded();

// Says why, and leaves the innermost run_guarded(); without one, which is a fault of ours, it stops
// the process like any other fault.
[[noreturn]] void give_up(const char* why);

}  // namespace vftrace
