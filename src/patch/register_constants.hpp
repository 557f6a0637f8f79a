// Which registers hold an address that the code itself gives, followed from one instruction to the
// next: for the arguments of hooks, and for hooks that are called through a register.
//
// In the order of the code, not of its execution. So a value can be wrong behind jumps; those who
// use it know a value that must come out, and anything else counts as unknown.
#pragma once

#include <cstdint>

#include "patch/instruction.hpp"
#include "patch/module_code.hpp"

namespace vftrace {

inline constexpr unsigned register_rdi = 7;

class RegisterConstants {
  public:
    // 0: unknown.
    std::uintptr_t value(unsigned number) const { return values_[number].constant; }
    // The instruction that set it.
    std::uintptr_t set_at(unsigned number) const { return values_[number].set_at; }
    // What `instruction` at `address`, in `module`, does to them.
    void apply(const Instruction& instruction, std::uintptr_t address, const ModuleCode& module);

  private:
    struct Value {
        std::uintptr_t constant, set_at;
    };
    bool apply_move(const Instruction& instruction, std::uintptr_t address,
                    const ModuleCode& module);
    void apply_other(const Instruction& instruction);
    void forget(unsigned number) { values_[number] = {}; }
    void forget_changed_by_calls();

    Value values_[16] = {};
    // Before the registers were popped at the end of a function: what follows the end comes from
    // somewhere before.
    Value before_pops_[16] = {};
    bool popping_ = false;
};

}  // namespace vftrace
