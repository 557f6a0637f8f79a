// The executables and shared libraries that a process has loaded, from which addresses get their
// names.
#pragma once

#include <array>
#include <cstdint>

#include "record/file_id.hpp"

namespace vftrace {

inline constexpr std::uint16_t no_module = 0xffff;

struct LoadedModule {
    std::uintptr_t start, end;  // addresses it occupied
    std::uintptr_t bias;        // run-time address - link-time address
    const char* path;           // absolute if the loader reported an absolute path
    bool loaded;                // false after its dlclose()
    FileId id;                  // the file that was loaded; `path` may become another one's
};

// All modules that were ever seen, in a form that can still be read after the end of the process.
struct ModuleTable {
    LoadedModule* modules;
    std::uint16_t count;
};

// Distinguishes versions of the code that the kernel maps into processes (symbol/kernel_code.hpp):
// the build ID of that code.
using KernelCodeId = std::array<std::uint8_t, 20>;

// The first index under which the same file was seen: it may have been loaded again at other
// addresses. A new file with its path is another one.
std::uint16_t same_file_module(const ModuleTable& modules, std::uint16_t index);

}  // namespace vftrace
