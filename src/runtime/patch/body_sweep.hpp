// Iterates over the instructions of a function as they were before hook calls were removed.
#pragma once

#include <cstdint>

#include "patch/instruction.hpp"
#include "patch/module_code.hpp"
#include "patch/register_constants.hpp"
#include "patch/site_table.hpp"

namespace vftrace {

// A process may have only one at a time: the jumps are kept in static memory, because 1.5 KiB may
// be a large part of a signal handler's stack.
class BodySweep {
  public:
    // `body` lies in the code of `module`; `patched` knows what was overwritten.
    BodySweep(const ModuleCode& module, CodeRange body, const SiteTable& patched)
        : BodySweep(module, body, patched, JumpsBack::ignored) {
        forget(jumps_back_);
    }
    BodySweep(const BodySweep&) = delete;
    BodySweep& operator=(const BodySweep&) = delete;

    // Also knows registers that only jumps back to earlier code bring, as into the loops of gcc,
    // which begin with a jump to their condition: `lea f, %r13; jmp condition`, far behind it.
    // Costs two more sweeps.
    static BodySweep with_jumps_back(const ModuleCode& module, CodeRange body,
                                     const SiteTable& patched);

    // Goes to the first or next instruction. Returns false at the end, and at an unknown one.
    bool next();
    // Whether it has reached the end.
    bool complete() const { return address_ == body_.end; }

    const ModuleCode& module() const { return module_; }
    CodeRange body() const { return body_; }
    const Instruction& instruction() const { return instruction_; }
    std::uintptr_t address() const { return address_; }
    std::uintptr_t next_address() const { return address_ + instruction_.length; }
    // The registers before the instruction.
    const RegisterConstants& registers() const { return registers_; }

  private:
    // A jump forward that may be the only way to its target, or one back.
    struct Jump {
        std::uintptr_t target;
        RegisterConstants::Carried registers;
    };
    static constexpr unsigned max_jumps = 24;
    enum class JumpsBack : std::uint8_t { ignored, collected };

    BodySweep(const ModuleCode& module, CodeRange body, const SiteTable& patched,
              JumpsBack jumps_back)
        : module_(module), body_(body), patched_(patched), jumps_back_mode_(jumps_back) {
        forget(jumps_);
    }
    static void forget(Jump (&jumps)[max_jumps]) {
        for (Jump& jump : jumps)
            jump.target = 0;
    }

    Instruction decode_here() const;
    void note_jump(std::uintptr_t target);
    void note_jump_back(std::uintptr_t target);
    void step();

    const ModuleCode& module_;
    CodeRange body_;
    const SiteTable& patched_;
    std::uintptr_t address_ = 0;
    Instruction instruction_;
    RegisterConstants registers_;
    JumpsBack jumps_back_mode_;
    static Jump jumps_[max_jumps], jumps_back_[max_jumps];
    bool behind_end_ = false;  // the code before this does not lead here
    bool lost_ = false;        // and no jump that was seen has led to the code since then
};

}  // namespace vftrace
