// Goes through the instructions of a function, one after the other, as they were before hook calls
// were taken out of it.
#pragma once

#include <cstdint>

#include "patch/instruction.hpp"
#include "patch/module_code.hpp"
#include "patch/register_constants.hpp"
#include "patch/site_table.hpp"

namespace vftrace {

class BodySweep {
  public:
    // `body` lies in the code of `module`; `patched` knows what was overwritten.
    BodySweep(const ModuleCode& module, CodeRange body, const SiteTable& patched)
        : module_(module), body_(body), patched_(patched) {}

    // To the first or next instruction. False at the end, and where one is unknown.
    bool next();
    // Whether it came to the end.
    bool complete() const { return address_ == body_.end; }

    const ModuleCode& module() const { return module_; }
    const Instruction& instruction() const { return instruction_; }
    std::uintptr_t address() const { return address_; }
    std::uintptr_t next_address() const { return address_ + instruction_.length; }
    // Before the instruction.
    const RegisterConstants& registers() const { return registers_; }

  private:
    Instruction decode_here() const;

    const ModuleCode& module_;
    CodeRange body_;
    const SiteTable& patched_;
    std::uintptr_t address_ = 0;
    Instruction instruction_;
    RegisterConstants registers_;
};

}  // namespace vftrace
