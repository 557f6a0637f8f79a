#include "patch/register_constants.hpp"

#include <cstring>
#include <initializer_list>

namespace vftrace {
namespace {

// rbx, rbp, rdi, r12 to r15.
constexpr std::uint8_t carried_numbers[] = {3, 5, register_rdi, 12, 13, 14, 15};

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

// mov reg, %rdi
bool copies_to_argument(const Instruction& instruction) {
    if (!instruction.wide() || !instruction.has_modrm || instruction.mode() != 3)
        return false;
    return (instruction.is(OpcodeMap::one_byte, 0x89) && instruction.rm() == register_rdi) ||
           (instruction.is(OpcodeMap::one_byte, 0x8b) && instruction.reg() == register_rdi);
}

}  // namespace

RegisterConstants::Carried RegisterConstants::carried() const {
    Carried carried;
    for (unsigned i = 0; i < carried_count; i++)
        carried.constants[i] = value(carried_numbers[i]);
    return carried;
}

void RegisterConstants::continue_from(const Carried& carried, std::uintptr_t address,
                                      bool only_unknown) {
    if (!only_unknown || !value(register_rdi))
        source_ = register_rdi;
    for (unsigned i = 0; i < carried_count; i++)
        if (!only_unknown || !value(carried_numbers[i]))
            values_[carried_numbers[i]] = {carried.constants[i], address - 1};
}

void RegisterConstants::forget_changed_by_calls() {
    for (unsigned number : {0, 1, 2, 6, 7, 8, 9, 10, 11})
        forget(number);
}

void RegisterConstants::copy(unsigned from, unsigned to, std::uintptr_t address) {
    values_[to] = {value(from), address};
    if (to == register_rdi) {
        source_ = from;
        source_set_at_ = set_at(from);
    }
}

RegisterConstants::Saved* RegisterConstants::saved(const Instruction& instruction) {
    bool by_rbp = (instruction.modrm & 7) == 5;
    for (Saved& known : saved_)
        if (known.constant && known.displacement == instruction.displacement &&
            known.by_rbp == by_rbp)
            return &known;
    return nullptr;
}

void RegisterConstants::save(const Instruction& instruction) {
    std::uintptr_t constant = instruction.wide() ? value(instruction.reg()) : 0;
    Saved* known = saved(instruction);
    if (!known && constant)
        known = &saved_[newest_saved_++ % max_saved];
    if (known)
        *known = {constant, instruction.displacement, (instruction.modrm & 7) == 5};
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
            values_[instruction.reg()] = {module.word_at(next + distance), address};
        else if (instruction.mode() == 3)
            copy(instruction.rm(), instruction.reg(), address);
        else if (const Saved* known = instruction.on_stack() ? saved(instruction) : nullptr)
            values_[instruction.reg()] = {known->constant, address};
        else
            return false;
        return true;
    case 0x89:  // mov reg, rm
        if (instruction.on_stack())
            save(instruction);
        if (!instruction.wide() || instruction.mode() != 3)
            return false;
        copy(instruction.reg(), instruction.rm(), address);
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

// After a comparison with a known register and jne, the other register has the same value. This is
// how gcc inlines the probable target of a virtual call.
void RegisterConstants::apply_comparison(const Instruction& instruction, std::uintptr_t address) {
    bool jump_if_unequal =
        instruction.is(OpcodeMap::one_byte, 0x75) || instruction.is(OpcodeMap::two_byte, 0x85);
    auto [first, second] = compared_;
    if (jump_if_unequal && !value(first) != !value(second)) {
        unsigned unknown = value(first) ? second : first;
        values_[unknown] = {value(first) | value(second), address};
    }
    bool compares =
        instruction.wide() && instruction.has_modrm && instruction.mode() == 3 &&
        (instruction.is(OpcodeMap::one_byte, 0x39) || instruction.is(OpcodeMap::one_byte, 0x3b));
    compared_[0] = compares ? instruction.reg() : 0;
    compared_[1] = compares ? instruction.rm() : 0;
}

void RegisterConstants::apply(const Instruction& instruction, std::uintptr_t address,
                              const ModuleCode& module) {
    std::uintptr_t previous_set_at = set_at(register_rdi);
    apply_comparison(instruction, address);
    bool pop = instruction.map == OpcodeMap::one_byte && (instruction.opcode & 0xf8) == 0x58;
    if (pop && !popping_) {
        std::memcpy(before_pops_, values_, sizeof values_);
        popping_ = true;
    }
    if (branch_of(instruction) == Branch::call) {
        forget_changed_by_calls();
        popping_ = false;
    } else if (ends_flow(instruction)) {
        if (popping_)
            std::memcpy(values_, before_pops_, sizeof values_);
        forget_changed_by_calls();
        popping_ = false;
    } else if (!apply_move(instruction, address, module)) {
        apply_other(instruction);
    }
    if (set_at(register_rdi) != previous_set_at && !copies_to_argument(instruction))
        source_ = register_rdi;
}

}  // namespace vftrace
