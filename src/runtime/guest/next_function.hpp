// The function that one of our wrappers calls.
#pragma once

#include <dlfcn.h>

namespace vftrace {

// The next function of this name in the program's scope, nullptr if there is none.
template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The same, looked up once: `known`, a static variable of the caller, keeps it. Several threads may
// call this at once, and a signal handler in the middle of a call, so `known` is accessed
// atomically. A static with an initialiser would not do: these have no guards for threads here, and
// another thread could see that it is initialised before it sees its value.
template <class Function>
Function next_function(Function& known, const char* name) {
    Function found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = next_function<Function>(name);
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return found;
}

}  // namespace vftrace
