// Which registers hold an address that the code itself gives.
#include "patch/register_constants.hpp"

#include <cstring>

namespace vftrace {
namespace {

constexpr unsigned kept_by_calls = 1u << 3 | 1u << 4 | 1u << 5 | 0xfu << 12;  // rbx rsp rbp r12-r15

constexpr bool is_return_or_jump(const Instruction& instruction) {
    if (instruction.map != OpcodeMap::one_byte)
        return false;
    return instruction.opcode == 0xc3 || instruction.opcode == 0xe9 || instruction.opcode == 0xeb ||
           (instruction.opcode == 0xff && instruction.opcode_extension() == 4);
}

constexpr bool is_call(const Instruction& instruction) {
    return instruction.map == OpcodeMap::one_byte &&
           (instruction.opcode == 0xe8 ||
            (instruction.opcode == 0xff && instruction.opcode_extension() == 2));
}

enum Writes : unsigned { nothing = 0, reg = 1, rm = 2, both = 3, opcode_register = 4 };

constexpr unsigned one_byte_writes(const Instruction& instruction) {
    unsigned opcode = instruction.opcode;
    if (opcode < 0x40)
        return opcode >= 0x38 ? nothing : (opcode & 7) < 2 ? rm : (opcode & 7) < 4 ? reg : nothing;
    switch (opcode) {
    case 0x80 ... 0x83:
        return instruction.opcode_extension() == 7 ? nothing : rm;
    case 0x84:
    case 0x85:
    case 0xd8 ... 0xdf:
        return nothing;
    case 0x88:
    case 0x89:
    case 0x8c:
    case 0x8f:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
    case 0xd0 ... 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
        return rm;
    case 0x58 ... 0x5f:
    case 0x91 ... 0x97:
    case 0xb0 ... 0xbf:
        return opcode_register;
    }
    return both;
}

constexpr unsigned two_byte_writes(unsigned opcode) {
    // Vector registers and memory only.
    if ((opcode >= 0x10 && opcode <= 0x1f) || (opcode >= 0x28 && opcode <= 0x2b) ||
        opcode == 0x2e || opcode == 0x2f || (opcode >= 0x51 && opcode <= 0x7d) || opcode == 0x7f ||
        (opcode >= 0x80 && opcode <= 0x8f) || opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc6 ||
        (opcode >= 0xd0 && opcode != 0xd7))
        return nothing;
    return opcode >= 0xc8 && opcode <= 0xcf ? opcode_register : both;
}

std::uintptr_t read_slot(const ModuleCode& module, std::uintptr_t slot) {
    std::uintptr_t value = 0;
    if (module.is_readable(slot, sizeof value))
        std::memcpy(&value, reinterpret_cast<const void*>(slot), sizeof value);
    return value;
}

}  // namespace

void RegisterConstants::forget_changed_by_calls() {
    for (unsigned i = 0; i < 16; i++)
        if (!(kept_by_calls >> i & 1))
            forget(i);
}

bool RegisterConstants::apply_move(const Instruction& instruction, std::uintptr_t address,
                                   const ModuleCode& module) {
    if (instruction.map != OpcodeMap::one_byte || instruction.operand_16)
        return false;
    std::uintptr_t next = address + instruction.length;
    auto distance = static_cast<std::intptr_t>(instruction.displacement);
    switch (instruction.opcode) {
    case 0x8d:  // lea distance(%rip), reg
        if (!instruction.wide() || !instruction.rip_relative())
            return false;
        values_[instruction.reg()] = {next + distance, address};
        return true;
    case 0x8b:  // mov slot(%rip), reg; mov rm, reg
        if (!instruction.wide())
            return false;
        if (instruction.rip_relative())
            values_[instruction.reg()] = {read_slot(module, next + distance), address};
        else if (instruction.mode() == 3)
            values_[instruction.reg()] = {value(instruction.rm()), address};
        else
            return false;
        return true;
    case 0x89:  // mov reg, rm
        if (!instruction.wide() || instruction.mode() != 3)
            return false;
        values_[instruction.rm()] = {value(instruction.reg()), address};
        return true;
    case 0xb8 ... 0xbf:
        values_[instruction.opcode_register()] = {
            instruction.wide() ? static_cast<std::uintptr_t>(instruction.immediate)
                               : static_cast<std::uint32_t>(instruction.immediate),
            address};
        return true;
    case 0xc7:
        if (!instruction.wide() || instruction.mode() != 3)
            return false;
        values_[instruction.rm()] = {static_cast<std::uintptr_t>(instruction.immediate), address};
        return true;
    }
    return false;
}

void RegisterConstants::apply_other(const Instruction& instruction) {
    unsigned writes = instruction.map == OpcodeMap::one_byte   ? one_byte_writes(instruction)
                      : instruction.map == OpcodeMap::two_byte ? two_byte_writes(instruction.opcode)
                                                               : both;
    if (writes & opcode_register)
        forget(instruction.opcode_register());
    if (!instruction.has_modrm)
        return;
    if (writes & reg)
        forget(instruction.reg());
    if (writes & rm && instruction.mode() == 3)
        forget(instruction.rm());
}

void RegisterConstants::apply(const Instruction& instruction, std::uintptr_t address,
                              const ModuleCode& module) {
    bool pop = instruction.map == OpcodeMap::one_byte && (instruction.opcode & 0xf8) == 0x58;
    if (pop && !popping_) {
        std::memcpy(before_pops_, values_, sizeof values_);
        popping_ = true;
    }
    if (is_call(instruction)) {
        forget_changed_by_calls();
        popping_ = false;
    } else if (is_return_or_jump(instruction)) {
        if (popping_)
            std::memcpy(values_, before_pops_, sizeof values_);
        forget_changed_by_calls();
        popping_ = false;
    } else if (!apply_move(instruction, address, module)) {
        apply_other(instruction);
    }
}

}  // namespace vftrace
