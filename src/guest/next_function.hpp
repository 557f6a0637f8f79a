// The function that one of our wrappers calls.
#pragma once

#include <dlfcn.h>

namespace vftrace {

// The next one of this name in the program's scope, nullptr if there is none.
template <class Function>
Function next_function(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The same, looked up once: `known`, a static of the caller's, keeps it. Several threads may ask at
// once, and a signal handler while another call does, so that no other thread may read that. A
// static with an initialiser would not do: they have no guards for threads here, and another thread
// could see that it is initialised before it sees what it is.
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
