// The program that `vftrace run` starts: where its file is, and whether it can be profiled.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

// The file that execvp(name) would execute: the first executable one in the directories of PATH if
// `name` has no slash. Empty if there is none.
std::string find_program(const std::string& name);

// Whether there is a file of this name, executable or not: at this path if `name` has a slash,
// otherwise in a directory of PATH. Shells distinguish "not found" and "cannot be executed" in this
// way.
bool is_file_of_path(const std::string& name);

// The kind of a program, by its name.
enum class ProgramKind {
    ordinary,
    mpi_launcher,  // mpirun and similar
    starts_others  // another launcher, a shell, an interpreter: the program that counts comes later
};
ProgramKind program_kind(const std::string& path);

// Why a profile of this program will be empty, or will only contain MPI calls if it uses MPI: one
// sentence per reason. `is_sampled`: no hooks are needed. Nothing if there is no such reason, if
// the file is not an ELF file (such as a script), or if it starts the program that counts.
std::vector<std::string> reasons_for_poor_profile(const std::string& path, bool uses_mpi,
                                                  bool is_sampled);

}  // namespace vftrace::tools
