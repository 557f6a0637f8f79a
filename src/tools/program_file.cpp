// The program that `vftrace run` starts.
#include "tools/program_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "tools/elf_program.hpp"

namespace vftrace::tools {
namespace {

constexpr auto starts_other_programs = std::to_array<std::string_view>(
    {"mpirun", "mpiexec", "orterun", "prterun", "prun",     "srun",    "aprun",  "jsrun",
     "flux",   "env",     "time",    "timeout", "nice",     "nohup",   "setsid", "stdbuf",
     "xargs",  "numactl", "taskset", "chrt",    "ionice",   "sh",      "bash",   "dash",
     "zsh",    "ksh",     "csh",     "tcsh",    "fish",     "busybox", "python", "perl",
     "ruby",   "R",       "Rscript", "julia",   "java",     "lua",     "tclsh",  "make",
     "cmake",  "ctest",   "ninja",   "gdb",     "valgrind", "strace",  "ltrace", "perf"});

// "python3.11" and "mpirun.openmpi" are python and mpirun.
bool is_launcher(std::string_view path) {
    std::string_view name = base_name(path);
    name = name.substr(0, name.find('.'));
    name = name.substr(0, name.find_last_not_of("0123456789-") + 1);
    return std::find(starts_other_programs.begin(), starts_other_programs.end(), name) !=
           starts_other_programs.end();
}

bool is_executable_file(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

// The dynamic loader ignores LD_PRELOAD where a program gets more rights than its user has.
bool runs_with_other_rights(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return is_executable_file(name) ? name : std::string();
    const char* path = std::getenv("PATH");
    for (std::string_view directory : split(path ? path : "/bin:/usr/bin", ':')) {
        const std::string candidate =
            directory.empty() ? name : fmt::format("{}/{}", directory, name);
        if (is_executable_file(candidate))
            return candidate;
    }
    return {};
}

std::vector<std::string> reasons_for_empty_profile(const std::string& path) {
    std::vector<std::string> reasons;
    const ElfProgram program = examine_elf_program(path);
    if (!program.is_elf)
        return reasons;
    if (runs_with_other_rights(path))
        reasons.push_back(fmt::format("{} runs with the rights of another user (setuid, setgid or "
                                      "capabilities), so the library cannot be loaded into it: "
                                      "profile a copy without these rights",
                                      path));
    if (!program.is_64_bit)
        reasons.push_back(fmt::format("{} is a 32-bit program, which the 64-bit library cannot be "
                                      "loaded into: build it for 64 bits",
                                      path));
    else if (!program.is_dynamic)
        reasons.push_back(fmt::format("{} is linked statically, so the library cannot be loaded "
                                      "into it: link it without -static",
                                      path));
    else if (program.hooks == ElfProgram::Hooks::none && !is_launcher(path))
        reasons.push_back(fmt::format("{} has no function hooks, so there is nothing to profile: "
                                      "compile it with vftrace-cc, vftrace-c++ or vftrace-fc",
                                      path));
    return reasons;
}

}  // namespace vftrace::tools
