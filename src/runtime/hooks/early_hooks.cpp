// Hooks that are called before the thread-local variables have their initial values.
//
// The dynamic linker calls resolvers (ifunc, target_clones) during relocation, when thread-local
// variables are all zero and `thread_state` is a null pointer. gcc inserts hooks into the resolvers
// that it generates. So that hooks need not check for this, `thread_state` is set by a resolver of
// our own, which is called before those of the executable, because a library that the executable
// needs is relocated first. The dynamic linker overwrites it with the initial value before any code
// of the program runs.
#include "tree/thread_state.hpp"

using namespace vftrace;

#ifdef __GLIBC__

namespace {

void resolved() {}

extern "C" [[gnu::used, gnu::no_sanitize("address", "thread",
                                         "undefined")]] void (*vftrace_resolve_early_hooks())() {
    thread_state = &busy_thread_state;
    return resolved;
}

[[gnu::ifunc("vftrace_resolve_early_hooks")]] void early_hooks();
[[gnu::used]] void (*const call_resolver)() = early_hooks;

}  // namespace

#endif
