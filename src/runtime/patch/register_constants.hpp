// Registers that hold addresses loaded by the code itself, tracked from instruction to instruction:
// for the arguments of hooks, and for hooks that are called through a register.
//
// The code is followed in order; at a place that only a jump leads to, the state at that jump is
// used. So a value may be wrong after other jumps; callers check it against the value that they
// expect.
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
    // The instruction that set it, or the last byte before the place to which a jump brought it.
    std::uintptr_t set_at(unsigned number) const { return values_[number].set_at; }
    // The register that rdi was copied from, register_rdi if it was set otherwise, and the
    // instruction that set that one.
    unsigned argument_source() const { return source_; }
    std::uintptr_t source_set_at() const { return source_set_at_; }
    // Applies what `instruction` at `address`, in `module`, does to them.
    void apply(const Instruction& instruction, std::uintptr_t address, const ModuleCode& module);

    // The values that matter at the target of a jump, and how to continue with them at that
    // `address`: with all of them, or those that are not known from the code before it.
    struct Carried;
    Carried carried() const;
    void continue_from(const Carried& carried, std::uintptr_t address, bool only_unknown);

  private:
    struct Value {
        std::uintptr_t constant, set_at;
    };
    static constexpr unsigned carried_count = 7;
    void apply_comparison(const Instruction& instruction, std::uintptr_t address);
    bool apply_move(const Instruction& instruction, std::uintptr_t address,
                    const ModuleCode& module);
    // A register that was saved on the stack, because compilers run out of registers.
    struct Saved {
        std::uintptr_t constant;  // 0: unused
        std::int32_t displacement;
        bool by_rbp;
    };
    static constexpr unsigned max_saved = 8;
    Saved* saved(const Instruction& instruction);
    void save(const Instruction& instruction);

    void copy(unsigned from, unsigned to, std::uintptr_t address);
    void apply_other(const Instruction& instruction);
    void forget(unsigned number) { values_[number] = {}; }
    void forget_changed_by_calls();

    Value values_[16] = {};
    // The values before registers were popped at the end of a function: the code after the end is
    // reached from somewhere before them.
    Value before_pops_[16] = {};
    bool popping_ = false;
    // The two registers that the previous instruction compared; the same one twice if it did not
    // compare any.
    unsigned compared_[2] = {};
    Saved saved_[max_saved] = {};
    unsigned newest_saved_ = 0;
    unsigned source_ = register_rdi;
    std::uintptr_t source_set_at_ = 0;
};

struct RegisterConstants::Carried {
    std::uintptr_t constants[carried_count];

    // Adds the values of `other` where this does not have one.
    void complete(const Carried& other) {
        for (unsigned i = 0; i < carried_count; i++)
            if (!constants[i])
                constants[i] = other.constants[i];
    }
};

}  // namespace vftrace
