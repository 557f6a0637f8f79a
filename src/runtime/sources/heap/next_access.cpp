#include "heap/next_access.hpp"

#include <algorithm>

#include "guest/modules.hpp"
#include "patch/instruction.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__)

// The numbers of registers in DWARF's order, by their numbers in instructions.
constexpr std::uint8_t dwarf_number[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr unsigned registers_of_instructions = 16;
constexpr unsigned rsi = 6, rdi = 7;

// The general registers, as far as they are known after some instructions.
class Values {
  public:
    explicit Values(const Registers& registers) {
        for (unsigned i = 0; i < registers_of_instructions; i++)
            value_[i] = registers.value[dwarf_number[i]];
    }
    bool is_known(unsigned number) const { return known_ >> number & 1; }
    std::uintptr_t operator[](unsigned number) const { return value_[number]; }
    void forget(unsigned number) { known_ &= ~(1u << number); }
    // Instructions with operands of 32 bits set the rest to 0.
    void set(unsigned number, std::uintptr_t value, bool wide) {
        value_[number] = wide ? value : static_cast<std::uint32_t>(value);
    }

  private:
    std::uintptr_t value_[registers_of_instructions];
    std::uint32_t known_ = 0xffff;
};

// An instruction, and where it is.
struct Step {
    Instruction instruction;
    const std::uint8_t* code;

    std::uintptr_t next() const {
        return reinterpret_cast<std::uintptr_t>(code) + instruction.length;
    }
};

// Opcodes whose operands are vectors, in the map of SSE instructions and in those of VEX and EVEX,
// except for those that write general registers.
bool changes_vectors_only(const Instruction& instruction) {
    const std::uint8_t opcode = instruction.opcode;
    const bool to_general = opcode == 0x2c || opcode == 0x2d || opcode == 0x50 || opcode == 0x7e ||
                            opcode == 0xc5 || opcode == 0xd7;
    if (instruction.map == OpcodeMap::vector)
        return !to_general && !(opcode >= 0x14 && opcode <= 0x17) &&   // vpextr*
               opcode != 0x92 && opcode != 0x93 &&                     // kmov
               opcode != 0xf0 && !(opcode >= 0xf2 && opcode <= 0xf7);  // BMI
    if (instruction.map == OpcodeMap::two_byte)
        return !to_general &&
               ((opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
                (opcode >= 0x51 && opcode <= 0x7f) || opcode == 0xc2 || opcode == 0xc4 ||
                opcode == 0xc6 || opcode >= 0xd0);
    return instruction.map == OpcodeMap::three_byte_38 && opcode < 0x80;
}

// cmp, test
bool only_compares(const Instruction& instruction) {
    const std::uint8_t opcode = instruction.opcode;
    if (instruction.map != OpcodeMap::one_byte)
        return false;
    return (opcode >= 0x38 && opcode <= 0x3d) || opcode == 0x84 || opcode == 0x85 ||
           opcode == 0xa8 || opcode == 0xa9 ||
           (opcode >= 0x80 && opcode <= 0x83 && instruction.opcode_extension() == 7) ||
           ((opcode == 0xf6 || opcode == 0xf7) && instruction.opcode_extension() < 2);
}

// Addresses are computed, but not accessed: nop, prefetch, hints.
bool is_hint(const Instruction& instruction) {
    return instruction.is(OpcodeMap::one_byte, 0x90) ||
           (instruction.map == OpcodeMap::two_byte &&
            (instruction.opcode == 0x0d ||
             (instruction.opcode >= 0x18 && instruction.opcode <= 0x1f)));
}

// vgather*, vscatter*: the index is a vector.
bool has_vector_index(const Instruction& instruction) {
    return instruction.map == OpcodeMap::vector &&
           ((instruction.opcode >= 0x90 && instruction.opcode <= 0x93) ||
            (instruction.opcode >= 0xa0 && instruction.opcode <= 0xa3));
}

// Short displacements of EVEX instructions are multiples of the operand's size: that of the vectors
// in most of them.
std::int64_t displacement_of(const Step& step) {
    constexpr std::uint8_t evex = 0x62;
    constexpr unsigned before_opcode = 4;
    const Instruction& instruction = step.instruction;
    const unsigned at = instruction.opcode_at;
    if (instruction.map != OpcodeMap::vector || instruction.mode() != 1 || at < before_opcode ||
        step.code[at - before_opcode] != evex)
        return instruction.displacement;
    const unsigned vector_length = step.code[at - 1] >> 5 & 3;
    return std::int64_t{instruction.displacement} * (16 << vector_length);
}

// Returns false if a register of the memory operand is not known.
bool address_of(const Step& step, const Values& values, std::uintptr_t& address) {
    const Instruction& instruction = step.instruction;
    address = static_cast<std::uintptr_t>(displacement_of(step));
    if (instruction.rip_relative()) {
        address += step.next();
        return true;
    }
    const auto add = [&](unsigned number, unsigned shift) {
        address += values[number] << shift;
        return values.is_known(number);
    };
    if ((instruction.modrm & 7) != 4)
        return add(instruction.rm(), 0);
    const unsigned base = (instruction.index & 7) | (instruction.rex & 1) << 3;
    const unsigned index = (instruction.index >> 3 & 7) | (instruction.rex & 2) << 2;
    constexpr unsigned none = 4;
    const bool has_base = instruction.mode() != 0 || (base & 7) != 5;
    const bool has_index = index != none && !has_vector_index(instruction);
    return (!has_base || add(base, 0)) && (!has_index || add(index, instruction.index >> 6));
}

// Those of movs, cmps, stos, lods and scas; none of other instructions.
NextAccess string_operands(const Instruction& instruction, const Values& values) {
    const bool has_to = values.is_known(rdi), has_from = values.is_known(rsi);
    if (instruction.map != OpcodeMap::one_byte)
        return {};
    switch (instruction.opcode) {
    case 0xa4 ... 0xa7:
        return has_to && has_from ? NextAccess{2, {values[rdi], values[rsi]}} : NextAccess{};
    case 0xaa:
    case 0xab:
    case 0xae:
    case 0xaf:
        return has_to ? NextAccess{1, {values[rdi], 0}} : NextAccess{};
    case 0xac:
    case 0xad:
        return has_from ? NextAccess{1, {values[rsi], 0}} : NextAccess{};
    }
    return {};
}

// What an instruction between registers, without a memory operand, does to them. Returns false if
// that is not known.
bool follow_one_byte(const Step& step, Values& values) {
    const Instruction& instruction = step.instruction;
    const unsigned reg = instruction.reg(), rm = instruction.rm();
    const bool wide = instruction.wide();
    const auto immediate = static_cast<std::uintptr_t>(instruction.immediate);
    const auto set = [&](unsigned number, std::uintptr_t value, bool is_known) {
        values.set(number, value, wide);
        if (!is_known)
            values.forget(number);
    };
    switch (instruction.opcode) {
    case 0x01:  // add, with the register that is changed as rm or as reg
        set(rm, values[rm] + values[reg], values.is_known(rm) && values.is_known(reg));
        return true;
    case 0x03:
        set(reg, values[reg] + values[rm], values.is_known(rm) && values.is_known(reg));
        return true;
    case 0x29:  // sub
        set(rm, values[rm] - values[reg], values.is_known(rm) && values.is_known(reg));
        return true;
    case 0x2b:
        set(reg, values[reg] - values[rm], values.is_known(rm) && values.is_known(reg));
        return true;
    case 0x81:
    case 0x83:
        if (instruction.opcode_extension() == 0)
            set(rm, values[rm] + immediate, values.is_known(rm));
        else if (instruction.opcode_extension() == 5)
            set(rm, values[rm] - immediate, values.is_known(rm));
        else
            values.forget(rm);
        return true;
    case 0x89:  // mov
        set(rm, values[reg], values.is_known(reg));
        return true;
    case 0x8b:
        set(reg, values[rm], values.is_known(rm));
        return true;
    case 0xff:  // inc, dec; else a jump or call
        if (instruction.opcode_extension() > 1)
            return false;
        set(rm, values[rm] + (instruction.opcode_extension() == 0 ? 1 : -std::uintptr_t{1}),
            values.is_known(rm));
        return true;
    }
    // Whatever it is, it changes no others.
    const bool changes_one_or_two =
        instruction.opcode < 0x40 || instruction.opcode == 0x63 || instruction.opcode == 0x69 ||
        instruction.opcode == 0x6b || instruction.opcode == 0x80 ||
        (instruction.opcode >= 0x86 && instruction.opcode <= 0x8a) || instruction.opcode == 0xc0 ||
        instruction.opcode == 0xc1 || instruction.opcode == 0xc6 || instruction.opcode == 0xc7 ||
        (instruction.opcode >= 0xd0 && instruction.opcode <= 0xd3);
    values.forget(reg);
    values.forget(rm);
    return changes_one_or_two;
}

// The same for all instructions that neither access memory nor jump.
bool follow(const Step& step, Values& values) {
    const Instruction& instruction = step.instruction;
    if (only_compares(instruction) || is_hint(instruction))
        return true;
    if (instruction.is(OpcodeMap::one_byte, 0x8d)) {  // lea
        std::uintptr_t address;
        const bool is_known = address_of(step, values, address);
        values.set(instruction.reg(), address, instruction.wide());
        if (!is_known)
            values.forget(instruction.reg());
        return true;
    }
    if (!instruction.has_modrm) {
        const bool sets_register = instruction.map == OpcodeMap::one_byte &&
                                   instruction.opcode >= 0xb8 && instruction.opcode <= 0xbf;
        if (sets_register)
            values.forget(instruction.opcode_register());
        return sets_register;
    }
    if (changes_vectors_only(instruction))
        return true;
    if (instruction.map == OpcodeMap::one_byte)
        return !instruction.operand_16 && follow_one_byte(step, values);
    values.forget(instruction.reg());
    values.forget(instruction.rm());
    // cmov, set, imul, movzx, movsx, bsf, popcnt: none of them changes any other register.
    const std::uint8_t opcode = instruction.opcode;
    return instruction.map == OpcodeMap::two_byte &&
           ((opcode >= 0x40 && opcode <= 0x4f) || (opcode >= 0x90 && opcode <= 0x9f) ||
            opcode == 0xaf || (opcode >= 0xb6 && opcode <= 0xbf));
}

bool accesses_memory(const Instruction& instruction) {
    return instruction.has_modrm && instruction.mode() != 3 && !is_hint(instruction) &&
           !instruction.is(OpcodeMap::one_byte, 0x8d);
}

Instruction instruction_at(const std::uint8_t* code) {
    constexpr std::uintptr_t page = 4096, longest = 15;
    return decode(code, std::min(page - reinterpret_cast<std::uintptr_t>(code) % page, longest));
}

#endif

}  // namespace

NextAccess next_access(const Registers& registers) {
#if defined(__x86_64__)
    constexpr int most_instructions = 24;
    if (module_at(registers.pc()) == no_module)
        return {};
    Values values(registers);
    std::uintptr_t at = registers.pc();
    for (int i = 0; i < most_instructions; i++) {
        const auto* const code = reinterpret_cast<const std::uint8_t*>(at);
        const Step step = {instruction_at(code), code};
        const Instruction& instruction = step.instruction;
        if (instruction.length == 0)
            return {};
        if (accesses_memory(instruction)) {
            std::uintptr_t address;
            return address_of(step, values, address) ? NextAccess{1, {address, 0}} : NextAccess{};
        }
        const Branch branch = branch_of(instruction);
        if (branch != Branch::none) {
            const std::uintptr_t target = direct_target(instruction, step.next());
            if (branch == Branch::call || target == 0 || (target > at && !ends_flow(instruction)))
                return {};
            at = target;
            continue;
        }
        if (!follow(step, values))
            return string_operands(instruction, values);
        at = step.next();
    }
    return {};
#else
    static_cast<void>(registers);
    return {};
#endif
}

}  // namespace vftrace
