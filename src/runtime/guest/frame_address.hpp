// Where on the stack a hook was called.
#pragma once

#include <cstdint>

namespace vftrace {

// The canonical frame address of the function that this is inlined into: its caller's stack pointer
// at the call.
[[gnu::always_inline]] inline std::uintptr_t frame_address() {
    return reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
}

}  // namespace vftrace
