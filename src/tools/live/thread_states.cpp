#include "live/thread_states.hpp"

#include <fmt/core.h>

#include "record/kernel_waits.hpp"
#include "recover/running_process.hpp"

namespace vftrace {

std::string text_of_thread_state(std::int64_t pid, std::int64_t tid) {
    switch (state_of_thread(pid, tid)) {
    case 'R':
        return "running";
    case 'T':
    case 't':
        return "stopped";
    case 'S':
    case 'D':
        break;
    default:
        return "";
    }
    const WaitKind kind = kind_of_wait(fmt::format("/proc/{}/task/{}/syscall", pid, tid).c_str(),
                                       fmt::format("/proc/{}/fd", pid).c_str());
    // Between two looks it may have gone on.
    if (kind == WaitKind::not_seen || kind == WaitKind::other)
        return "waits";
    return fmt::format("waits: {}", row_of(kind).word);
}

}  // namespace vftrace
