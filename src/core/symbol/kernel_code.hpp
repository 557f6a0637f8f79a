// The code that the kernel maps into each process (vDSO), such as its clock_gettime: a shared
// library in memory that does not have a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/loaded_module.hpp"

namespace vftrace {

// Its name in the dynamic loader.
inline constexpr std::string_view kernel_code_name = "linux-vdso.so.1";

struct KernelCode {
    const char* image;  // an ELF file; nullptr: there is none
    std::size_t bytes;
};
// The code of this process.
KernelCode kernel_code();

// Its build ID; zeros if it does not have one. Another process, on this machine or since the last
// boot, may have a different one. Async-signal-safe.
KernelCodeId kernel_code_id();

}  // namespace vftrace
