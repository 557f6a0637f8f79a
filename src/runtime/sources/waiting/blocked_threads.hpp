// What a thread of this process waits for, as /proc shows it while it waits.
#pragma once

#include <cstdint>

#include "base/relaxed.hpp"
#include "record/wait_kinds.hpp"

namespace vftrace {

// What another thread saw of a wait that has not ended. All zero: nothing.
struct SeenWait {
    std::uint64_t out_ns;  // when the thread left its processor
    std::uint8_t kind;     // WaitKind

    void note(std::uint64_t out, WaitKind what) {
        set_shared(kind, static_cast<std::uint8_t>(what));
        __atomic_store_n(&out_ns, out, __ATOMIC_RELEASE);
    }
    WaitKind kind_of_wait(std::uint64_t out) const {
        return __atomic_load_n(&out_ns, __ATOMIC_ACQUIRE) == out
                   ? static_cast<WaitKind>(relaxed(kind))
                   : WaitKind::not_seen;
    }
};

// The kind of the system call in which the thread is now, or of a page fault; not_seen if it runs,
// has ended, or cannot be looked at. Takes about 10 us.
WaitKind kind_of_wait(std::int32_t tid);

// What is waited for in a call that uses this descriptor. Takes about 2 us.
WaitKind kind_of_descriptor(long descriptor);

}  // namespace vftrace
