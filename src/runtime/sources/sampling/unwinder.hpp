// The open calls of a thread of this process. After walk_by_libunwind() has been called, libunwind
// uses the tables.
#pragma once

#include "sampling/libunwind.hpp"
#include "sampling/readable_memory.hpp"
#include "sampling/unwind_rules.hpp"
#include "unwind/stack_walker.hpp"

namespace vftrace {

class Unwinder;
extern template class StackWalker<Unwinder>;

// For one thread; zeroed memory is a valid object. It is not reentrant.
class Unwinder : public StackWalker<Unwinder> {
    friend StackWalker<Unwinder>;

    class Turn {
      public:
        explicit operator bool() const { return !walks_are_libunwinds || turn_; }

      private:
        const LibunwindTurn turn_;
    };
    static std::uint32_t generation() {
        return __atomic_load_n(&unwind_generation, __ATOMIC_RELAXED);
    }
    static UnwindRule find_rule(std::uintptr_t pc) { return find_unwind_rule(pc); }
    static bool is_readable(std::uintptr_t address) { return vftrace::is_readable(address); }
    static bool steps_itself(const UnwindRule& rule) {
        return walks_are_libunwinds && rule.frame != FrameRule::unknown;
    }
    bool step_itself(Place& place, const UnwindRule& rule, std::uintptr_t& frame);

    LibunwindCursor cursor_;
};

}  // namespace vftrace
