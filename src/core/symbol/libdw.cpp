#include "symbol/libdw.hpp"

#include <dlfcn.h>
#include <pthread.h>

namespace vftrace {
namespace {

Libdw functions;
bool complete;

template <class Function>
bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

void open_libdw() {
    void* library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    complete = library != nullptr;
#define VFTRACE_LOAD(member, function)                                                             \
    complete = complete && load(library, #function, functions.member);
    VFTRACE_LIBDW_FUNCTIONS(VFTRACE_LOAD)
#undef VFTRACE_LOAD
}

}  // namespace

const Libdw* libdw() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_libdw);
    return complete ? &functions : nullptr;
}

}  // namespace vftrace
