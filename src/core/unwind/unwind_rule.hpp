// How to get from a place in a function to its caller: the contents of .eh_frame, in a form that a
// signal handler can apply in a few nanoseconds.
#pragma once

#include <cstdint>
#include <string_view>

#include "unwind/call_frame_reader.hpp"

namespace vftrace {

// Where the canonical frame address is: the stack address just above the return address.
enum class FrameRule : std::uint8_t {
    unknown,          // the code has no tables
    not_understood,   // they are of another kind, or for another processor
    outermost,        // without a caller: the first function of a thread, or of a fiber
    from_register,    // value of `cfa_register` + cfa_offset
    from_memory,      // what lies at that address (stacks that were realigned)
    procedure_table,  // a stub of the procedure linkage table, whose stack depends on the place
    signal_frame      // a signal handler returns to here: the registers lie on the stack
};

// Where the caller's value of a register is.
enum class SavedRegister : std::uint8_t {
    unchanged,   // still in the register
    on_stack,    // number of words from the canonical frame address
    by_pointer,  // number of words from where the frame pointer leads
    lost
};

// The kind of code, for displaying call paths.
enum class CodeOwner : std::uint8_t {
    program,
    library,  // ours
    between,  // passes calls on: stubs, OpenMP's run-time libraries
    binding   // translates calls: MPI's for Fortran
};

struct UnwindRule {
    std::uintptr_t pc = 0;        // that the rule is for
    std::uintptr_t function = 0;  // first address of the function; without tables that of the page
                                  // or, outside of all files, generated_code_key()
    std::int32_t cfa_offset = 0;
    std::uint32_t generation = 0;  // of the code when the rule was made: see StackWalker
    // Where the frame pointer and dwarf_base are saved. The latter is rbx, by which the loader's
    // code that binds symbols finds its frame while other functions are open below it, or arm64's
    // return address.
    std::int16_t pointer_words = 0, base_words = 0;
    SavedRegister pointer : 4 = SavedRegister::unchanged;
    SavedRegister base : 4 = SavedRegister::unchanged;
    FrameRule frame = FrameRule::unknown;
    std::uint8_t cfa_register = 0;  // DWARF's number
    CodeOwner owner = CodeOwner::program;
};

// Sets everything but pc, generation and owner to what the tables of the code say. Without an entry
// for `pc`, the rule stays as it is, and the result is false. Costs about a microsecond.
// Async-signal-safe.
bool read_unwind_rule(const CallFrameTables& tables, std::uintptr_t pc, UnwindRule& rule);

// The kind of code in the file of that name.
CodeOwner owner_of_file(std::string_view path);

// Whether a function that begins with these bytes is a stub that jumps to where the loader found a
// function.
inline constexpr std::size_t stub_bytes = 7;
bool is_stub(const unsigned char (&code)[stub_bytes]);

}  // namespace vftrace
