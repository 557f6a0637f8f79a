// Names of MPI functions, and the search for the real ones.
#include "mpi/functions.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace vftrace {

void* real_functions[2][function_count];

namespace {

struct Names {
    const char *c, *fortran, *pmpi;
};
constexpr Names names[] = {
#define VFTRACE_MPI_FUNCTION(name, fortran_name) {#name, fortran_name, "P" #name},
#include "mpi_functions.inc"
#undef VFTRACE_MPI_FUNCTION
};

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

// A library that was loaded for a plugin alone (RTLD_LOCAL) is in no scope of ours.
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
        if (found && !is_ours(found))  // the libraries it needs are searched too
            return found;
    }
}

void* find_real(const char* name) {
    void* next = dlsym(RTLD_NEXT, name);
    return next ? next : find_in_any_library(name);
}

}  // namespace

const char* mpi_name(FunctionId function) { return names[static_cast<std::size_t>(function)].c; }

const char* mpi_name(std::uintptr_t key, char* buffer) {
    const Names& function = names[key >> 3];
    switch (static_cast<CallName>(key >> 1 & 3)) {
    case CallName::c:
        return function.c;
    case CallName::fortran:
        return function.fortran;
    case CallName::sync:
        std::snprintf(buffer, 64, "%s_sync", function.c);
        break;
    case CallName::fortran_sync:
        std::snprintf(buffer, 64, "%s_sync", function.fortran);
    }
    return buffer;
}

void* find_real_function(FunctionId function, Entry entry) {
    auto index = static_cast<std::size_t>(function);
    void* real = find_real(entry == called_as_mpi ? names[index].c : names[index].pmpi);
    __atomic_store_n(&real_functions[entry][index], real, __ATOMIC_RELAXED);
    return real;
}

}  // namespace vftrace
