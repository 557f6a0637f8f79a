// The code of a process that is sampled from outside, and the walk through its copied stacks.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "attach/module_file.hpp"
#include "record/loaded_module.hpp"
#include "unwind/stack_walker.hpp"

namespace vftrace {

class OutsideCode {
  public:
    OutsideCode(std::int64_t pid, ModuleFiles& files);

    // Reads what is mapped now.
    void read_mappings();
    // Adds a mapping; what it covers is no longer mapped.
    void add(const CodeMapping& mapping);

    // Changes when rules that were found before may be wrong.
    std::uint32_t generation() const { return generation_; }
    // The rule for an instruction. If its module is not known, the mappings are read again, once
    // for each call of forget_unknown_places().
    UnwindRule find_rule(std::uintptr_t pc);
    void forget_unknown_places() { may_read_again_ = true; }

    // The module of a function; no_module for code outside of all files.
    std::uint16_t module_of(std::uintptr_t address) const;
    // Whether the function belongs to the code that calls a thread's first function.
    bool is_start_code(std::uintptr_t function) const;

    // All modules that were mapped so far. The pointers stay valid until the next call of another
    // member function.
    ModuleTable modules() { return {modules_.data(), static_cast<std::uint16_t>(modules_.size())}; }
    const ModuleFile& file_of(std::uint16_t module) const { return *module_files_[module]; }

  private:
    struct Range {
        std::uintptr_t start, end;
        std::uint64_t file_offset, inode;
        std::uint16_t module;
    };
    std::uint16_t module_for(const CodeMapping& mapping);
    const Range* range_at(std::uintptr_t address) const;
    std::uintptr_t place_outside_files(std::uintptr_t pc);

    std::int64_t pid_;
    ModuleFiles& files_;
    std::vector<Range> ranges_;  // sorted by start
    std::vector<LoadedModule> modules_;
    std::vector<std::shared_ptr<ModuleFile>> module_files_;  // by module
    std::deque<std::string> paths_;
    std::uint32_t generation_ = 1;
    bool may_read_again_ = true;
    bool is_listed_ = false;  // a list names the generated functions
    std::uint64_t looked_at_ = 0;
};

class OutsideWalker : public StackWalker<OutsideWalker> {
  public:
    explicit OutsideWalker(OutsideCode& code) : code_(code) {}

  private:
    friend StackWalker<OutsideWalker>;
    struct Turn {
        explicit operator bool() const { return true; }
    };
    std::uint32_t generation() const { return code_.generation(); }
    UnwindRule find_rule(std::uintptr_t pc) { return code_.find_rule(pc); }
    static bool is_readable(std::uintptr_t) { return false; }
    static bool steps_itself(const UnwindRule&) { return false; }
    static bool step_itself(Place&, const UnwindRule&, std::uintptr_t&) { return false; }

    OutsideCode& code_;
};

}  // namespace vftrace
