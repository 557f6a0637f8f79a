// The choice of the library that `vftrace run` loads into a program.
#pragma once

#include <string>
#include <vector>

#include "commands/mpi_use.hpp"
#include "config/options.hpp"
#include "symbol/program_image.hpp"

namespace vftrace::tools {

// libvftrace.so wraps the functions of MPI; libvftrace_serial.so, next to it, is the same without
// them, so that a program that checks whether MPI is present finds none.
struct LibraryRequest {
    std::string named;         // by --library; empty: $VFTRACE_LIBRARY or the installed one
    std::string mpi = "auto";  // yes: libvftrace.so, no: libvftrace_serial.so, auto: either
};

// Returns the absolute path of the library for a program that is linked to these libraries. A
// library that the user names is used as it is. Throws CommandError if there is no such library, or
// if it would be loaded in addition to another one that the program is linked to.
std::string choose_library(const LibraryRequest& request, const LinkedLibraries& linked);

// The libraries of LD_PRELOAD in this process's environment, without those of vftrace.
std::string other_preloaded_libraries();

// The absolute paths of the libraries that the options need in addition, next to the chosen one: of
// functions that count allocations, or in which threads wait. Throws CommandError if there is no
// such library.
std::vector<std::string> further_libraries(const Options& options, const std::string& library);

// Puts the libraries, except for empty names, at the front of LD_PRELOAD, once. Only
// AddressSanitizer's run-time library precedes them: one that the user has named there, or that the
// program needs (`image`). Throws CommandError if a library cannot be named there.
void preload(const std::vector<std::string>& libraries, const ProgramImage& image);

// Variables that name a library to be called.
struct InjectionVariable {
    const char* name;
    bool of_annotations = false;  // it names libvftrace_annotations.so
    bool is_list = false;         // several tools can be named; ours calls the others
};
// By CUDA's driver when it starts, also in programs that load it late; by NVTX at its first range;
// by OpenACC's run-time library; by ITT at its first call; by Kokkos when it is initialised.
inline constexpr InjectionVariable injection_variables[] = {{"CUDA_INJECTION64_PATH"},
                                                            {"NVTX_INJECTION64_PATH"},
                                                            {"ACC_PROFLIB"},
                                                            {"INTEL_LIBITTNOTIFY64", true},
                                                            {"KOKKOS_TOOLS_LIBS", true, true}};
// Names the library, or the one of annotations among the further ones, in these variables. Another
// tool that the user has named is kept, where there can be only one.
void ask_for_injection(const std::string& library, const std::vector<std::string>& further);

}  // namespace vftrace::tools
