// The length of an x86-64 instruction, and the parts of it that the search for hook calls needs.
//
// Implements the encoding rules and opcode maps of the manuals of both vendors. Instructions that
// compilers never generate (3DNow!, XOP, APX, parts of SSE4a, rare privileged ones) are unknown;
// the caller gives up there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class OpcodeMap : std::uint8_t { one_byte, two_byte, three_byte_38, three_byte_3a, vector };

struct Instruction {
    std::uint8_t length = 0;  // 0: unknown
    std::uint8_t opcode_at = 0;
    OpcodeMap map = OpcodeMap::one_byte;  // vector: VEX or EVEX, whatever the map
    std::uint8_t opcode = 0;
    std::uint8_t rex = 0;
    bool operand_16 = false;  // prefix 66
    bool has_modrm = false;
    std::uint8_t modrm = 0, index = 0;  // the SIB byte, 0 if there is none
    std::int32_t displacement = 0;      // of a memory operand
    std::int64_t immediate = 0;         // sign-extended; for jumps and calls the distance

    bool wide() const { return rex & 8; }
    unsigned mode() const { return modrm >> 6; }
    unsigned opcode_extension() const { return modrm >> 3 & 7; }
    // Numbers of registers as instructions encode them: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp,
    // 6 rsi, 7 rdi, 8 to 15.
    unsigned reg() const { return (modrm >> 3 & 7) | (rex & 4) << 1; }
    unsigned rm() const { return (modrm & 7) | (rex & 1) << 3; }
    unsigned opcode_register() const { return (opcode & 7) | (rex & 1) << 3; }
    // The memory operand is displacement(%rsp) or displacement(%rbp).
    bool on_stack() const {
        bool by_rsp = (modrm & 7) == 4 && index == 0x24, by_rbp = (modrm & 7) == 5 && mode() != 0;
        return has_modrm && mode() != 3 && !(rex & 3) && (by_rsp || by_rbp);
    }
    // The memory operand is displacement(%rip).
    bool rip_relative() const { return has_modrm && (modrm & 0xc7) == 0x05; }
    bool is(OpcodeMap of, std::uint8_t code) const { return map == of && opcode == code; }
};

enum class Branch : std::uint8_t { none, call, jump, conditional_jump, short_jump, leave };

// What an instruction does to the flow of control; `short_jump` is any jump with a distance of one
// byte, `leave` a return, and an indirect jump is a `jump`.
Branch branch_of(const Instruction& instruction);
// Whether execution does not continue with the instruction that follows.
bool ends_flow(const Instruction& instruction);
// The target of a jump or call that has a distance, `next` being the address after it; 0 for
// others.
std::uintptr_t direct_target(const Instruction& instruction, std::uintptr_t next);

// The instruction at `code`, of which `available` bytes may be read.
Instruction decode(const std::uint8_t* code, std::size_t available);

}  // namespace vftrace
