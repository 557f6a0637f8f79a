// Source file and line of functions, from DWARF debug information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vftrace {

struct SourceLine {
    std::string file;        // "" if unknown; as the compiler wrote it, made absolute
    std::uint32_t line = 0;  // 0 if unknown
};

// The place where each function at `offsets` (link-time addresses) of the ELF file at `path`
// begins. libdw is opened here and only here (dlopen): without it, or without debug information,
// every answer is unknown. Called when reports are made, never while the program is measured.
std::vector<SourceLine> lookup_source_lines(const std::string& path,
                                            const std::vector<std::uint64_t>& offsets);
// The same, unless it would take more than about `limit_ns` of processor time, which decreases by
// what it takes.
std::vector<SourceLine> lookup_source_lines(const std::string& path,
                                            const std::vector<std::uint64_t>& offsets,
                                            std::uint64_t& limit_ns);

// The same for code anywhere in a function: the line from which each instruction at `offsets` was
// generated.
std::vector<SourceLine> lookup_code_lines(const std::string& path,
                                          const std::vector<std::uint64_t>& offsets);

// The same, but of what is inlined into a function the line there where it is called: a line of the
// function itself.
std::vector<SourceLine> lookup_function_lines(const std::string& path,
                                              const std::vector<std::uint64_t>& offsets);

}  // namespace vftrace
