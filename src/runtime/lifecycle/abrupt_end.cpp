#include "lifecycle/abrupt_end.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "guest/all_signals.hpp"
#include "guest/seccomp.hpp"
#include "guest/thread_files.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {
namespace {

// The process and the thread that is dying: a child of fork has a copy, but its own number is
// different.
std::uint64_t dying;

// From system calls, because after a bare clone the numbers that the C library remembers may be
// those of the parent.
std::uint64_t current_thread() {
    return static_cast<std::uint64_t>(syscall(SYS_getpid)) << 32 |
           static_cast<std::uint64_t>(syscall(SYS_gettid));
}

bool is_in_this_process(std::uint64_t thread) { return thread >> 32 == current_thread() >> 32; }

[[noreturn]] void stay() {
    AllSignalsBlocked::block_for_ever();
    for (;;)
        syscall(SYS_ppoll, nullptr, 0, nullptr, nullptr, 0);
}

// A thread in sigwait() would receive the signal as one for which the program waits.
bool is_in_sigwait(long folder, const char* thread) {
    constexpr std::string_view file_name = "/syscall";
    char path[64] = {};
    std::size_t length = std::strlen(thread);
    if (length + file_name.size() >= sizeof path)
        return false;
    std::memcpy(path, thread, length);
    std::memcpy(path + length, file_name.data(), file_name.size());
    long file = syscall(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char text[24];
    long bytes = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    long number = -1;  // of the system call; "running" if there is none
    if (bytes > 0)
        std::from_chars(text, text + bytes, number);
    return number == SYS_rt_sigtimedwait;
}

template <class Visitor>
void visit_other_threads(Visitor&& visit) {
    // Not on the stack, which may be small. Only the dying thread uses this.
    alignas(DirectoryEntry) static char entries[4096];
    const long self = syscall(SYS_gettid);
    visit_own_threads(entries, sizeof entries, [&](long folder, long thread, const char* name) {
        if (thread != self)
            visit(folder, thread, name);
    });
}

}  // namespace

bool process_is_ours() { return process_record && process_record->pid == syscall(SYS_getpid); }

void be_the_one_to_end() {
    std::uint64_t self = current_thread();
    std::uint64_t other = __atomic_load_n(&dying, __ATOMIC_ACQUIRE);
    do {
        if (other == self)
            return;
        if (is_in_this_process(other))
            stay();
    } while (!__atomic_compare_exchange_n(&dying, &other, self, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
}

bool another_thread_ends_process() {
    const std::uint64_t other = __atomic_load_n(&dying, __ATOMIC_ACQUIRE);
    return other != 0 && other != current_thread() && is_in_this_process(other);
}

void wait_if_dying() {
    if (another_thread_ends_process())
        stay();
}

void signal_other_threads(int number) {
    const long process = syscall(SYS_getpid);
    visit_other_threads([&](long folder, long thread, const char* name) {
        if (!is_in_sigwait(folder, name))
            syscall(SYS_tgkill, process, thread, number);
    });
}

bool has_other_threads() {
    bool found = false;
    visit_other_threads([&](long, long, const char*) { found = true; });
    return found;
}

void mark_end(ProcessState state, int code) {
    ProcessRecord& record = *process_record;
    // Files that the process had begun to write itself may be overwritten.
    if (record.state == ProcessState::writing)
        record.library_start_unix_ns = unix_time_ns();
    record.end_ticks = tree_ticks();
    record.end_unix_ns = unix_time_ns();
    if (!seccomp_filter_was_noted())
        record.processor_ns = processor_ns();
    record.end_code = code;
    __atomic_store(&record.state, &state, __ATOMIC_RELEASE);
}

void mark_end_without_system_calls(ProcessState state, int code) {
    if (process_record && own_thread_state && own_thread_state->record)
        mark_end(state, code);
}

}  // namespace vftrace
