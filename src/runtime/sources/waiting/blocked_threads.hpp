// What a thread of this process waits for, as /proc shows it while it waits.
#pragma once

#include <cstdint>

#include "base/relaxed.hpp"
#include "guest/thread_files.hpp"
#include "record/kernel_waits.hpp"
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

inline constexpr const char* own_descriptors = "/proc/self/fd";

inline WaitKind kind_of_wait(std::int32_t tid) {
    return kind_of_wait(ThreadFile(tid, "syscall").path(), own_descriptors);
}
inline WaitKind kind_of_descriptor(long descriptor) {
    return kind_of_descriptor(descriptor, own_descriptors);
}

}  // namespace vftrace
