// Facts about an executable file before it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

struct ElfProgram {
    enum class Hooks {
        none,
        present,  // calls of hooks or of our interface, in it or in one of its own libraries
        unknown   // a library that it needs was not found
    };
    bool is_elf = false;  // otherwise all other members are meaningless
    std::string loader;   // the dynamic loader's file; empty if the program is linked statically
    Hooks hooks = Hooks::none;
    // What is recorded of the program without hooks, such as "OpenMP constructs"; MPI is not looked
    // for here.
    std::vector<std::string> seen_without_hooks;
};

// Examines the program and the libraries that it names itself, but not those of the system (they
// are not compiled with hooks). A file that cannot be read or is damaged does not count as an ELF
// file.
ElfProgram examine_elf_program(const std::string& path);

}  // namespace vftrace::tools
