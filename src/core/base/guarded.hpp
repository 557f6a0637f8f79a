// Runs code that may run out of memory, and survives it.
//
// The library is compiled without exceptions, but must never end the user's program. Containers
// that cannot get memory jump back here; their content is lost, and the program continues. So
// containers may be used only in code that run_guarded() calls; test/runtime/test_guards.py follows
// the calls of the whole library to check this.
#pragma once

#include <type_traits>

namespace vftrace {

// See below.
bool run_guarded_function(void (*work)(void*), void* argument);

// Calls work(). Returns false if it gave up (then a message has been printed). Calls on one thread
// may nest; give_up() returns to the innermost one, without calling the destructors of objects in
// the code that is left. The thread's locale is restored; anything else that the program would
// notice must be done outside.
template <class Work>
bool run_guarded(Work&& work) {
    return run_guarded_function(
        [](void* guarded) { (*static_cast<std::remove_reference_t<Work>*>(guarded))(); }, &work);
}

bool is_guarded();

// Prints the reason and leaves the innermost run_guarded(). Outside of run_guarded(), which is an
// error in the library, it stops the process like any other fault.
[[noreturn]] void give_up(const char* why);

}  // namespace vftrace
