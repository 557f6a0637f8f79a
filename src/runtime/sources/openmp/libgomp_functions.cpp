// Where the real functions of GCC's OpenMP library are.
//
// Usually the library is in the global scope, after us: RTLD_NEXT. A plugin, such as a Python
// extension, may bring its own, which only the plugin and its libraries see, and another plugin a
// different one; then each caller must reach its own.
#include "openmp/libgomp_functions.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "base/prepend.hpp"
#include "openmp/activations.hpp"
#include "openmp/ompt_tool.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

RealGompFunction real_gomp_functions[gomp_function_count];

namespace {

struct Symbol {
    const char* name;
    const char* version;
};
constexpr Symbol symbols[] = {
#define VFTRACE_GOMP(name, version, arguments, role) {#name, version},
#include "openmp/libgomp_functions.inc"
#undef VFTRACE_GOMP
};

// The functions that the code of one library reaches.
struct CallerLibrary {
    const link_map* library;
    RealGompFunction functions[gomp_function_count];
    CallerLibrary* next;
};
CallerLibrary* caller_libraries;

void* look_up(void* scope, const Symbol& symbol) {
    void* address = dlvsym(scope, symbol.name, symbol.version);
    return address ? address : dlsym(scope, symbol.name);  // a library built without versions
}

const link_map* library_of(const void* address) {
    dl_find_object found;
    if (_dl_find_object(const_cast<void*>(address), &found) != 0)
        return nullptr;
    return found.dlfo_link_map;
}

// LLVM's library starts itself, and us as its tool, at its first call.
bool is_measured_by_ompt(const void* function) {
    const link_map* library = library_of(function);
    if (!library)
        return false;
    void* handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    bool is_llvm = dlsym(handle, "__kmpc_fork_call");
    if (is_llvm)
        if (auto start = reinterpret_cast<int (*)()>(dlsym(handle, "omp_get_max_threads")))
            start();
    dlclose(handle);
    return is_llvm && ompt_is_active();
}

// Usually the program would not have started without the library; but a linker that drops unused
// libraries may have left it out because of our definitions.
[[noreturn]] void end_without_library(const Symbol& symbol) {
    message_of(Speaker::machine,
               "no OpenMP library provides %s: install GCC's libgomp.so.1 or link it to the "
               "program (-fopenmp when linking)",
               symbol.name);
    _exit(127);
}

void set(RealGompFunction& real, void* address) {
    real.passes_through = !openmp_settings.active || is_measured_by_ompt(address);
    __atomic_store_n(&real.address, address, __ATOMIC_RELEASE);
}

// The function that the caller's library sees, possibly a private one.
RealGompFunction* find_for_library(std::size_t index, const void* caller) {
    const link_map* library = library_of(caller);
    if (!library)
        return nullptr;
    CallerLibrary* known = __atomic_load_n(&caller_libraries, __ATOMIC_ACQUIRE);
    while (known && known->library != library)
        known = known->next;
    if (known && known->functions[index].address)
        return &known->functions[index];
    void* handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return nullptr;
    void* address = look_up(handle, symbols[index]);
    dlclose(handle);
    if (!address || library_of(address) == library_of(&real_gomp_functions))
        return nullptr;
    if (!known) {
        known = static_cast<CallerLibrary*>(map_memory(sizeof(CallerLibrary)));
        if (!known)
            return nullptr;
        known->library = library;
        prepend(caller_libraries, known);
    }
    set(known->functions[index], address);
    return &known->functions[index];
}

}  // namespace

const RealGompFunction& find_real_gomp_function(GompFunction function, const void* caller) {
    auto index = static_cast<std::size_t>(function);
    lifecycle_calls.first_event();  // whether there is anything to record
    void* address = look_up(RTLD_NEXT, symbols[index]);
    if (!address)
        if (RealGompFunction* real = find_for_library(index, caller))
            return *real;
    if (!address)
        if (void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL))
            address = look_up(library, symbols[index]);
    if (!address)
        end_without_library(symbols[index]);
    set(real_gomp_functions[index], address);
    return real_gomp_functions[index];
}

}  // namespace vftrace
