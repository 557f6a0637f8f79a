// The function that a wrapper of ours stands in front of.
#pragma once

#include <dlfcn.h>

namespace vftrace {

// The next one of this name in the program's scope, nullptr if there is none. `known` keeps it;
// several threads may ask at once.
template <class Function>
Function next_function(Function& known, const char* name) {
    Function found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return found;
}

}  // namespace vftrace
