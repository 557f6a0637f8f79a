// Libraries of the system whose functions everybody has.
#pragma once

#include <string_view>

#include "base/text.hpp"

namespace vftrace {

// Whether the file is a library of C, C++, Fortran or OpenMP.
inline bool is_common_library(std::string_view path) {
    constexpr std::string_view names[] = {"libc.so",    "libm.so",        "libpthread.so",
                                          "ld-linux",   "libstdc++.so",   "libgcc_s.so",
                                          "libgomp.so", "libgfortran.so", "libomp.so",
                                          "libmvec.so", "libquadmath.so"};
    const std::string_view name = base_name(path);
    for (const std::string_view known : names)
        if (name.starts_with(known))
            return true;
    return false;
}

}  // namespace vftrace
