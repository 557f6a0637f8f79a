// The machine code of a function as instructions, decoded by Zydis.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// How an instruction continues.
enum class Flow : std::uint8_t {
    next,           // with the one that follows it
    branch,         // with that or with its target
    jump,           // with its target
    indirect_jump,  // elsewhere: a jump table, or the end of the function by a tail call
    call,           // with the one that follows it, when the called function has returned
    end             // not at all: a return, or an instruction that traps
};

// What an instruction computes.
enum class Arithmetic : std::uint8_t {
    none,
    scalar_single,
    scalar_double,
    packed_single,
    packed_double,
    packed_integer,
    x87
};

struct MachineInstruction {
    std::uint64_t address = 0;  // link-time address
    std::uint64_t target = 0;   // of branches, jumps and direct calls, else 0
    std::uint8_t size = 0;      // bytes
    Flow flow = Flow::next;
    Arithmetic arithmetic = Arithmetic::none;
    std::uint16_t vector_bits = 0;  // of the registers that packed arithmetic uses, else 0
    bool is_divide = false;         // divisions and square roots, of any kind
    bool is_gather = false;         // or scatter: an access to memory for each element of a vector
    bool loads = false, stores = false;  // memory, by an operand that the instruction names
};

enum class Syntax { att, intel };

// Whether this program can decode machine code of the processor that it runs on.
bool can_decode_instructions();

// The instructions of `code`, which begins at this link-time address, up to the first byte that is
// not one. Empty if can_decode_instructions() is false.
std::vector<MachineInstruction> decode_instructions(std::string_view code, std::uint64_t address);

// The text of the instruction with which `code` begins, "" if it is not one.
std::string instruction_text(std::string_view code, std::uint64_t address, Syntax syntax);

}  // namespace vftrace
