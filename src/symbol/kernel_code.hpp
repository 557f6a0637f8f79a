// The code that the kernel puts into each process (vDSO), like its clock_gettime: a shared library
// that is in memory and in no file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vftrace {

// What the dynamic loader calls it.
inline constexpr std::string_view kernel_code_name = "linux-vdso.so.1";

struct KernelCode {
    const char* image;  // an ELF file; nullptr: there is none
    std::size_t bytes;
};
// That of this process.
KernelCode kernel_code();

// Tells versions apart: that of another process, on this machine or since the last boot, may be
// another one.
using KernelCodeId = std::array<std::uint8_t, 20>;
// Its build ID; zeros if it has none. Async-signal-safe.
KernelCodeId kernel_code_id();

}  // namespace vftrace
