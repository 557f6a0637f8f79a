// What `vftrace run --openmp` does about a program's OpenMP library.
#pragma once

#include <string>

namespace vftrace::tools {

// `request`: "auto" (the program's own library), "no" (OpenMP is not recorded), "llvm" or
// "llvm:FILE" (LLVM's library is used by a program that was compiled by GCC). Returns the absolute
// path of the library that is to be preloaded after ours, or "". Throws CommandError if the request
// is not one of these, if there is no such library, or if the program calls functions of GCC's
// library that it does not have.
std::string openmp_library_to_preload(const std::string& request, const std::string& program);

}  // namespace vftrace::tools
