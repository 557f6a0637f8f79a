// Demangling with the C++ runtime that the process happens to have; names of Rust by ourselves.
//
// The library itself has no reference to __cxa_demangle: a C or Fortran program that links it would
// lack that symbol. The demangler cannot be stopped, so the length of its result is computed first.
#include "symbol/names.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

#include "symbol/abridge.hpp"
#include "symbol/mangled_size.hpp"
#include "symbol/rust_names.hpp"

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

// Symbols that are longer keep their form.
constexpr std::size_t longest_symbol = 64 * 1024;
// A longer name, by an estimate that is often several times too high, is demangled without
// repetitions.
constexpr std::uint64_t longest_whole = 1024 * 1024;
constexpr std::size_t longest_repetitions[] = {256, 32, 1};

// The symbol as it can be demangled: that is, itself or a shorter one; "" if there is none.
std::string bounded_symbol(std::string symbol) {
    if (symbol.size() > longest_symbol)
        return {};
    const std::uint64_t size = demangled_size(symbol);
    if (size <= longest_whole)
        return symbol;
    if (size == unknown_size) {
        // Each reference at most doubles what was written before it.
        constexpr std::size_t few = 8;
        std::size_t references = 0;
        for (std::size_t at = 0; (at = symbol.find('S', at)) != symbol.npos; at++)
            references++;
        return references <= few && symbol.size() <= longest_whole >> few ? symbol : std::string();
    }
    for (const std::size_t longest : longest_repetitions)
        if (std::string shorter = without_long_repetitions(symbol, longest);
            demangled_size(shorter) <= longest_whole)
            return shorter;
    return {};
}

std::string demangle_cxx(const std::string& symbol) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
    if (!demangler)
        return {};
    const std::string bounded = bounded_symbol(symbol);
    if (bounded.empty())
        return {};
    int status = 0;
    char* text = demangler(bounded.c_str(), nullptr, nullptr, &status);
    std::string name = text && status == 0 ? text : "";
    std::free(text);
    return abridged(std::move(name));
}

}  // namespace

std::string demangle(const std::string& symbol) {
    if (is_rust_symbol(symbol))
        return abridged(demangle_rust(symbol));
    // The demangler accepts names of types too: `i` would become `int`.
    if (!symbol.starts_with("_Z"))
        return {};
    // Runtimes differ in how they show a clone (`.constprop.0`), and some fail on it.
    std::size_t clone = symbol.find('.');
    std::string name = demangle_cxx(symbol.substr(0, clone));
    if (name.empty())
        return name;
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
