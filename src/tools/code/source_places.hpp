// The source lines and inlined functions of addresses in a program or library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbol/elf_file.hpp"

namespace vftrace {

// A place in a function, or in one that is inlined there. Compilers number blocks differently.
struct SourcePlace {
    std::string file;                    // "" if unknown; as the compiler wrote it, made absolute
    std::uint32_t line = 0, column = 0;  // 0: unknown
    std::uint32_t discriminator = 0;     // distinguishes blocks of code of one line
    std::uint32_t copies =
        1;  // of the block, made by the optimiser; known of LLVM's compilers only
    // Linkage name if known, else the source's, as in clang's -gline-tables-only; "": unknown.
    std::string function;
    std::string function_display;     // readable, without parameters
    std::uint32_t function_line = 0;  // where the function is declared
    bool is_llvm = false;             // compiled by clang, flang or another one of LLVM
};

// The reader of one file's debug information (code/dwarf_places.cpp); it does not trust the file.
class DebugPlaces {
  public:
    virtual ~DebugPlaces() = default;
    virtual std::vector<SourcePlace> at(std::uint64_t offset) = 0;
};

// nullptr if the file does not have debug information, or libdw is not there. `elf` must live
// longer than the result.
std::unique_ptr<DebugPlaces> read_debug_places(Elf* elf);
// Whether libdw can be used.
bool can_read_debug_information();

class SourcePlaces {
  public:
    // Opens the file, if it is the one that ran: `build_id` as in Profile::modules. Its debug
    // information may be in the file, in a separate one, or in the system's folder of debug files.
    // Returns whether there is any. A file without build ID must not have been written after
    // `run_start_unix_ns`.
    bool open(const std::string& path, const std::string& build_id,
              std::int64_t run_start_unix_ns = 0);

    // Why there is none: a sentence that says how to get it. "" if there is.
    const std::string& problem() const { return problem_; }

    // The place of an instruction, by its link-time address: the innermost inlined function first,
    // the function itself last. The line of each is the one inside that function, so that those
    // after the first have the line of the call. Empty if nothing is known.
    std::vector<SourcePlace> at(std::uint64_t offset) const {
        return debug_ ? debug_->at(offset) : std::vector<SourcePlace>();
    }

  private:
    bool read(Elf* elf);

    std::unique_ptr<ElfFile> file_, debug_file_;
    std::unique_ptr<DebugPlaces> debug_;
    std::string problem_;
};

// How to compile a program so that its lines are known.
inline constexpr const char* how_to_get_lines =
    "compile with -g1 (gcc) or -gline-tables-only (clang); vftrace-cc, -c++ and -fc do that "
    "unless they are given another -g option";

}  // namespace vftrace
