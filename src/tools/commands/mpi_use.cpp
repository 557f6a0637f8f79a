#include "commands/mpi_use.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "commands/command_output.hpp"
#include "commands/elf_program.hpp"
#include "commands/program_file.hpp"

namespace vftrace::tools {
namespace {

struct LibraryRow {
    std::string_view start;  // of the library's file name
    MpiUse use;
};

constexpr LibraryRow library_table[] = {
    {"libmpi.so", MpiUse::certain},  // Open MPI, Intel MPI, MVAPICH, HPE, and others
    {"libmpi_", MpiUse::certain},    // _abi, _mpifh, _usempif08, _cxx, Cray's _cray and _gnu_123
    {"libmpich", MpiUse::certain},   // MPICH of Debian, with -fort and -cxx
    {"libmpifort", MpiUse::certain},
    {"libmpicxx", MpiUse::certain},
    {"libmpi++", MpiUse::certain},
    {"libpmpi", MpiUse::certain},
    {"libmpitrampoline", MpiUse::certain},
    // Interpreters embedded in a program, which may load MPI later.
    {"libpython", MpiUse::possible},
    {"libperl", MpiUse::possible},
    {"libR.so", MpiUse::possible},
    {"libjulia", MpiUse::possible},
};

// The file names, without folders, of the libraries that the loader would load. Nothing unless the
// loader is glibc's, because others would run the program.
std::optional<std::vector<std::string>> loaded_libraries(const std::string& program,
                                                         const std::string& loader) {
    const std::string_view name = base_name(loader);
    if (!name.starts_with("ld-linux") && !name.starts_with("ld64.so"))
        return std::nullopt;
    std::error_code error;
    const std::optional<std::string> listing =
        output_of({loader, "--list", std::filesystem::absolute(program, error).string()},
                  {"LD_AUDIT", "LD_BIND_NOW", "LD_DEBUG", "LD_SHOW_AUXV", "LD_VERBOSE", "LD_WARN"});
    if (!listing)
        return std::nullopt;
    std::vector<std::string> libraries;
    for (std::string_view line : split(*listing, '\n')) {
        // "libm.so.6 => /lib/libm.so.6 (0x7f...)", "libx.so => not found", "/lib/y.so (0x7f...)"
        line = trim(line);
        line = line.substr(0, line.find(" => "));
        line = line.substr(0, line.find(" (0x"));
        if (!line.empty())
            libraries.emplace_back(base_name(line));
    }
    return libraries;
}

}  // namespace

LinkedLibraries libraries_of(const std::string& path) {
    const ElfProgram program = examine_elf_program(path);
    if (!program.is_elf || program.loader.empty() || program_kind(path) != ProgramKind::ordinary)
        return {};
    const auto names = loaded_libraries(path, program.loader);
    if (!names)
        return {};
    LinkedLibraries result{MpiUse::none, false};
    for (const std::string& name : *names) {
        result.vftrace |= name.starts_with("libvftrace.so");
        for (const LibraryRow& row : library_table)
            if (name.starts_with(row.start) && result.mpi != MpiUse::certain)
                result.mpi = row.use;
    }
    return result;
}

}  // namespace vftrace::tools
