#include "attach/refusal.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <linux/perf_event.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/descriptor.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

// kernel.perf_event_paranoid; -1, which forbids nothing, if it cannot be read.
int paranoia() {
    const std::string text = contents_of("/proc/sys/kernel/perf_event_paranoid").value_or("");
    int level = -1;
    std::from_chars(text.data(), text.data() + text.size(), level);
    return level;
}

// By its real id: /proc/PID belongs to root if the process may not be inspected.
bool is_of_this_user(std::int64_t thread) {
    const std::string status = contents_of(fmt::format("/proc/{}/status", thread)).value_or("");
    constexpr std::string_view start = "\nUid:\t";
    const std::size_t at = status.find(start);
    uid_t user = 0;
    return at != status.npos &&
           std::from_chars(status.data() + at + start.size(), status.data() + status.size(), user)
                   .ec == std::errc() &&
           user == getuid();
}

// Whether this process may sample its own code.
bool may_sample_itself() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const Descriptor file(static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    return file.is_open();
}

}  // namespace

std::string why_refused(std::int64_t thread, int error) {
    constexpr int most_for_users = 2;
    if (error != EACCES && error != EPERM && error != ENOSYS)
        return fmt::format("{}: perf_event_open: {}", thread, std::strerror(error));
    if (may_sample_itself())
        return is_of_this_user(thread)
                   ? fmt::format(
                         "{}: may not be inspected, because it has or had other rights than "
                         "its user (setuid, capabilities): run \"vftrace sample\" as root",
                         thread)
                   : fmt::format("{}: belongs to another user: only root, or a user with "
                                 "CAP_PERFMON and CAP_SYS_PTRACE, may sample it",
                                 thread);
    if (const int level = paranoia(); level > most_for_users)
        return fmt::format("{}: kernel.perf_event_paranoid is {}, which forbids users to sample: "
                           "set it to 2 (as root: sysctl kernel.perf_event_paranoid=2), or run "
                           "\"vftrace sample\" as root",
                           thread, level);
    return fmt::format("{}: perf_event_open is forbidden here, as in most containers: start the "
                       "container with --cap-add=PERFMON or a seccomp profile that allows it, or "
                       "run \"vftrace sample\" outside of it",
                       thread);
}

}  // namespace vftrace
