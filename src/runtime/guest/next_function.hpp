// The function that one of our wrappers calls.
#pragma once

#include <dlfcn.h>

namespace vftrace {

// The next function of this name in the program's scope, nullptr if there is none. `version`: of
// the symbol, where dlsym() would find an older one; any other if it does not exist.
template <class Function>
Function next_function(const char* name, const char* version = nullptr) {
    void* const found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
    return reinterpret_cast<Function>(found ? found : dlsym(RTLD_NEXT, name));
}

// The same, looked up once: `known`, a static variable of the caller, keeps it. Several threads may
// call this at once, and a signal handler in the middle of a call, so `known` is accessed
// atomically. A static with an initialiser would not do: these have no guards for threads here, and
// another thread could see that it is initialised before it sees its value.
template <class Function>
Function next_function(Function& known, const char* name, const char* version = nullptr) {
    Function found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = next_function<Function>(name, version);
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return found;
}

}  // namespace vftrace
