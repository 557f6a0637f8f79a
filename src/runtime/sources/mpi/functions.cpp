// The search for the real MPI functions.
#include "mpi/functions.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace vftrace {

void* real_functions[2][function_count];

namespace {

// Path of the `wanted`-th loaded library whose name contains "mpi".
struct Search {
    int wanted;
    char path[4096];
};

int find_library(dl_phdr_info* library, std::size_t, void* argument) {
    auto& search = *static_cast<Search*>(argument);
    if (!library->dlpi_name || !std::strstr(library->dlpi_name, "mpi") || search.wanted-- > 0)
        return 0;
    std::snprintf(search.path, sizeof search.path, "%s", library->dlpi_name);
    return 1;
}

bool is_ours(void* function) {
    Dl_info ours, other;
    return dladdr(reinterpret_cast<void*>(&find_library), &ours) && dladdr(function, &other) &&
           ours.dli_fbase == other.dli_fbase;
}

// A library that was loaded only for a plugin (RTLD_LOCAL) is not in any scope of ours.
void* find_in_any_library(const char* name) {
    Search search;
    for (int i = 0;; i++) {
        search.wanted = i;
        if (!dl_iterate_phdr(find_library, &search))
            return nullptr;
        void* library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue;
        void* found = dlsym(library, name);
        dlclose(library);
        if (found && !is_ours(found))  // the libraries that it needs are searched too
            return found;
    }
}

void* find_real(const char* name) {
    void* next = dlsym(RTLD_NEXT, name);
    return next ? next : find_in_any_library(name);
}

}  // namespace

void* find_real_function(FunctionId function, Entry entry) {
    auto index = static_cast<std::size_t>(function);
    void* real = find_real(entry == called_as_mpi ? mpi_name(function) : pmpi_name(function));
    __atomic_store_n(&real_functions[entry][index], real, __ATOMIC_RELAXED);
    return real;
}

}  // namespace vftrace
