#include "commands/program_file.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/elf_program.hpp"

namespace vftrace::tools {
namespace {

struct ProgramRow {
    std::string_view name;
    ProgramKind kind;
};

constexpr ProgramKind launcher = ProgramKind::mpi_launcher;
constexpr ProgramKind starter = ProgramKind::starts_others;

constexpr auto program_table = std::to_array<ProgramRow>({
    {"vftrace", starter},
    // Launchers of an MPI or a batch system.
    {"mpirun", launcher},
    {"mpiexec", launcher},
    {"orterun", launcher},
    {"prterun", launcher},
    {"prun", starter},
    {"srun", starter},
    {"aprun", starter},
    {"jsrun", starter},
    {"lrun", starter},
    {"ibrun", starter},
    {"mpirun_rsh", starter},
    {"flux", starter},
    {"likwid-mpirun", starter},
    // Commands that run another one with changes or under observation.
    {"env", starter},
    {"time", starter},
    {"timeout", starter},
    {"nice", starter},
    {"nohup", starter},
    {"setsid", starter},
    {"stdbuf", starter},
    {"xargs", starter},
    {"numactl", starter},
    {"taskset", starter},
    {"chrt", starter},
    {"ionice", starter},
    {"likwid-pin", starter},
    {"likwid-perfctr", starter},
    {"gdb", starter},
    {"valgrind", starter},
    {"strace", starter},
    {"ltrace", starter},
    {"perf", starter},
    // Shells.
    {"sh", starter},
    {"bash", starter},
    {"dash", starter},
    {"zsh", starter},
    {"ksh", starter},
    {"csh", starter},
    {"tcsh", starter},
    {"fish", starter},
    {"busybox", starter},
    // Interpreters.
    {"python", starter},
    {"pypy", starter},
    {"perl", starter},
    {"ruby", starter},
    {"R", starter},
    {"Rscript", starter},
    {"julia", starter},
    {"octave-cli", starter},
    {"java", starter},
    {"lua", starter},
    {"tclsh", starter},
    // Build tools.
    {"make", starter},
    {"cmake", starter},
    {"ctest", starter},
    {"ninja", starter},
});

bool is_executable_file(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

// Where the file of a program may be.
std::vector<std::string> candidates_in_path(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return {name};
    std::vector<std::string> candidates;
    const char* path = std::getenv("PATH");
    for (std::string_view directory : split(path ? path : "/bin:/usr/bin", ':'))
        candidates.push_back(directory.empty() ? name : fmt::format("{}/{}", directory, name));
    return candidates;
}

// The dynamic loader ignores LD_PRELOAD if a program gets more rights than its user has.
bool runs_with_other_rights(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

constexpr const char* no_hooks = " does not have function hooks, so there is nothing to profile: "
                                 "sample it (vftrace run --sample), or compile it with "
                                 "vftrace-cc, vftrace-c++ or vftrace-fc";
constexpr const char* only_these =
    "{} does not have function hooks, so only {} and regions are recorded; for more, sample "
    "it (vftrace run --sample), or compile it with {}";

}  // namespace

static std::string poor_profile(const std::string& path, std::vector<std::string> seen,
                                bool uses_mpi) {
    if (uses_mpi)
        seen.insert(seen.begin(), "MPI calls");
    if (seen.empty())
        return path + no_hooks;
    return fmt::format(only_these, path, joined(seen, ", "),
                       uses_mpi ? "vftrace-mpicc, vftrace-mpic++ or vftrace-mpifort"
                                : "vftrace-cc, vftrace-c++ or vftrace-fc");
}

// "python3.11" and "mpirun.openmpi" are python and mpirun.
ProgramKind program_kind(const std::string& path) {
    std::string_view name = base_name(path);
    name = name.substr(0, name.find('.'));
    name = name.substr(0, name.find_last_not_of("0123456789-") + 1);
    for (const ProgramRow& row : program_table)
        if (row.name == name)
            return row.kind;
    return ProgramKind::ordinary;
}

std::string find_program(const std::string& name) {
    for (std::string& candidate : candidates_in_path(name))
        if (is_executable_file(candidate))
            return std::move(candidate);
    return {};
}

bool is_file_of_path(const std::string& name) {
    // A name with a slash may also be a folder.
    const bool is_path = name.find('/') != std::string::npos;
    struct stat status;
    for (const std::string& candidate : candidates_in_path(name))
        if (stat(candidate.c_str(), &status) == 0 ? is_path || S_ISREG(status.st_mode)
                                                  : is_path && errno == EACCES)
            return true;
    return false;
}

std::vector<std::string> reasons_for_poor_profile(const std::string& path, bool uses_mpi,
                                                  bool is_sampled) {
    std::vector<std::string> reasons;
    const ElfProgram program = examine_elf_program(path);
    if (!program.is_elf)
        return reasons;
    if (runs_with_other_rights(path))
        reasons.push_back(fmt::format("{} runs with the rights of another user (setuid, setgid or "
                                      "capabilities), so the library cannot be loaded into it: "
                                      "profile a copy without these rights",
                                      path));
    if (program.loader.empty())
        reasons.push_back(fmt::format("{} is linked statically, so the library cannot be loaded "
                                      "into it: link it without -static",
                                      path));
    else if (!is_sampled && program.hooks == ElfProgram::Hooks::none &&
             program_kind(path) == ProgramKind::ordinary)
        reasons.push_back(poor_profile(path, program.seen_without_hooks, uses_mpi));
    return reasons;
}

}  // namespace vftrace::tools
