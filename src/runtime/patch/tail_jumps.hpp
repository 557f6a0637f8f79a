// Jumps to the exit hook that are outside the body of the function that they end: in a part that
// the compiler moved away (`f.cold`), or in a function without hooks that it is inlined into.
//
// A module is searched once, when the first function in it needs that.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "patch/hook_sites.hpp"

namespace vftrace {

struct TailJump {
    HookSite site;
    std::uintptr_t function;  // its first argument
};

class TailJumpIndex {
  public:
    // All jumps in the code around `address` whose first argument is known. nullptr and 0 if there
    // are none, no memory, or too many modules.
    const TailJump* around(const ModuleCode& module, std::uintptr_t address, std::uintptr_t hook,
                           const SiteTable& patched, std::size_t& count);
    // Forgets what is known about code at these addresses.
    void forget(std::uintptr_t start, std::uintptr_t end);

  private:
    struct Searched {
        CodeRange code;
        TailJump* jumps;
        std::size_t count, mapped_bytes;
    };
    static constexpr unsigned max_searched = 256;
    Searched searched_[max_searched] = {};
    unsigned used_ = 0;
};

}  // namespace vftrace
