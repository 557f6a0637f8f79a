// Demangling with the C++ runtime that the process happens to have.
//
// The library itself has no reference to __cxa_demangle: a C or Fortran program that links it would
// lack that symbol.
#include "symbol/names.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace vftrace {

namespace {

using Demangler = char* (*)(const char* symbol, char* buffer, std::size_t* length, int* status);

Demangler demangler = nullptr;  // null if there is none; set once

void find_demangler() {
    constexpr const char* name = "__cxa_demangle";
    void* found = dlsym(RTLD_DEFAULT, name);
    Dl_info info;
    // Keep the library that has it loaded: the program might close it before we make our report.
    if (found && dladdr(found, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    // Loaded with RTLD_LOCAL by other code (a plug-in), else from the system.
    struct {
        const char* library;
        int flags;
    } const sources[] = {{"libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD},
                         {"libc++abi.so.1", RTLD_LAZY | RTLD_NOLOAD},
                         {"libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL}};
    for (const auto& source : sources) {
        if (found)
            break;
        if (void* library = dlopen(source.library, source.flags))
            found = dlsym(library, name);
    }
    demangler = reinterpret_cast<Demangler>(found);
}

}  // namespace

std::string demangle(const std::string& symbol) {
    // The demangler accepts names of types too: `i` would become `int`.
    if (!symbol.starts_with("_Z"))
        return {};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
    if (!demangler)
        return {};
    // Runtimes differ in how they show a clone (`.constprop.0`), and some fail on it.
    std::size_t clone = symbol.find('.');
    int status = 0;
    char* text = demangler(symbol.substr(0, clone).c_str(), nullptr, nullptr, &status);
    if (!text || status != 0) {
        std::free(text);
        return {};
    }
    std::string name = text;
    std::free(text);
    while (clone != std::string::npos) {
        // `.part.1.cold` is two suffixes: a number belongs to the word before it.
        std::size_t end = clone;
        do
            end = symbol.find('.', end + 1);
        while (end != std::string::npos && end + 1 < symbol.size() && symbol[end + 1] >= '0' &&
               symbol[end + 1] <= '9');
        name += " [clone " + symbol.substr(clone, end - clone) + "]";
        clone = end;
    }
    return name;
}

}  // namespace vftrace
