// Whether a library whose functions we replace comes before us in the program's link order.
#pragma once

#include <dlfcn.h>

namespace vftrace {

// `first` is the function that the program gets for a name, `ours` anything in our library. Returns
// the path of the library that `first` lies in, nullptr if that is ours too.
inline const char* library_before_ours(const void* first, const void* ours) {
    Dl_info theirs, own;
    if (!first || !dladdr(first, &theirs) || !dladdr(ours, &own) ||
        theirs.dli_fbase == own.dli_fbase)
        return nullptr;
    return theirs.dli_fname;
}

}  // namespace vftrace
