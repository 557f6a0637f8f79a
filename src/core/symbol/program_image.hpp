// Whether the library can be loaded into a program, from the program's file before it is executed:
// otherwise the dynamic loader would print its own message, or the program would not start.
#pragma once

#include <cstddef>
#include <string_view>

namespace vftrace {

enum class Obstacle {
    none,
    is_32_bit,
    other_processor,
    other_c_library  // musl and similar, whose loaders do not know glibc
};
inline constexpr std::size_t obstacles = 4;

struct ProgramImage {
    Obstacle obstacle = Obstacle::none;
    // File of the interpreter if the program is a script ("#!..."), which is what is loaded.
    char interpreter[256] = "";
    // Name of AddressSanitizer's run-time library if the program needs it as a shared one. It must
    // be the first library of all, or it ends the program.
    char sanitizer[64] = "";
};

// Reads the file and, for a script, its interpreter. A file that cannot be read, or is neither a
// script nor an ELF file, does not have an obstacle. Makes only system calls, none of which
// pthread_cancel could interrupt, and needs 2 KiB of stack: it may be called between vfork and
// exec.
ProgramImage examine_program_image(const char* path);

// The message about a program: "<path> " + this. nullptr for Obstacle::none.
const char* reason_and_remedy(Obstacle obstacle);

// Whether this is AddressSanitizer's run-time library, by the name of its file.
bool is_address_sanitizer(std::string_view file_name);

}  // namespace vftrace
