// Starts `vftrace recover` on the tree file of this process.
//
//   this process ──clone──> helper ──clone──> vftrace recover
//
// The helper, which shares our memory, is needed because the end of a child that has executed a
// program is visible in its parent: SIGCHLD and a result of wait() that the program does not
// expect. The helper does not execute a program and is cloned without a signal, so it is visible
// only to us. Until the command is executed, both children run in our memory, on separate stacks,
// while this thread waits; only system calls are made, and none that pthread_cancel could
// interrupt.
#include "lifecycle/recover_from_outside.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "base/size_limit.hpp"
#include "base/text.hpp"
#include "config/run_variable.hpp"
#include "guest/all_signals.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/signal_actions.hpp"
#include "trace/trace_writer.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

constexpr int timeout_seconds = 60;
constexpr int status_not_started = 127;

const char* command;         // absolute path of vftrace, or nullptr
const char* environment[6];  // of the command; ends with a nullptr

const char* keep(std::string_view text) {
    static Arena arena;
    auto copy = static_cast<char*>(arena.allocate(text.size() + 1));  // all zero
    if (copy)
        std::memcpy(copy, text.data(), text.size());
    return copy;
}

bool can_be_run(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

// The folder from which this library was loaded, or "".
std::string library_folder() {
    Dl_info information;
    if (!dladdr(reinterpret_cast<void*>(&prepare_recovery), &information) || !information.dli_fname)
        return "";
    std::string_view path = information.dli_fname;
    std::size_t slash = path.rfind('/');
    return slash == path.npos ? "" : std::string(path.substr(0, slash));
}

std::string find_command(const Options& options) {
    if (options.tree_file_recover_command)
        return *options.tree_file_recover_command;
    std::string folder = library_folder();
    if (folder.starts_with('/')) {
        // A build folder has the library in .libs, below the command.
        std::string beside = folder.ends_with("/.libs")
                                 ? folder + "/../vftrace"
                                 : folder + "/" VFTRACE_BINDIR_FROM_LIBDIR "/vftrace";
        if (can_be_run(beside))
            return beside;
    }
    std::string installed = VFTRACE_BINDIR "/vftrace";
    if (can_be_run(installed))
        return installed;
    if (const char* path = std::getenv("PATH"))
        for (std::string_view place : split(path, ':')) {
            std::string candidate = std::string(place) + "/vftrace";
            if (candidate.starts_with('/') && can_be_run(candidate))
                return candidate;
        }
    return "";
}

// Waits for the child, at most a minute. Returns its exit status.
int wait_for(long child) {
    constexpr long pause_ns = 1'000'000;
    for (long waited_ns = 0; waited_ns < timeout_seconds * 1'000'000'000L; waited_ns += pause_ns) {
        int status;
        long ended = syscall(SYS_wait4, child, &status, WNOHANG, nullptr);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : status_not_started;
        if (ended < 0 && errno != EINTR)
            break;
        timespec pause{0, pause_ns};
        syscall(SYS_nanosleep, &pause, nullptr);
    }
    return 0;  // it continues without being watched
}

void close_all_but_streams() {
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
        return;
    constexpr rlim_t most = 65536;  // Linux before 5.9
    rlimit limit;
    rlim_t end =
        getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most ? limit.rlim_cur : most;
    for (rlim_t descriptor = 3; descriptor < end; descriptor++)
        syscall(SYS_close, descriptor);
}

enum class Purpose {
    end,       // waited for
    snapshot,  // in the background
    copies,    // the same, and silent: the reader of our stderr may wait until it is closed
    report,    // waited for; prints to stderr
    filter     // waited for, and silent
};
constexpr bool is_waited_for(Purpose purpose) {
    return purpose == Purpose::end || purpose == Purpose::report || purpose == Purpose::filter;
}

struct Job {
    const char* arguments[12];
    Purpose purpose;
};

// The second child.
int become_command(void* argument) {
    const Job& job = *static_cast<Job*>(argument);
    syscall(SYS_setsid);
    close_all_but_streams();
    long null = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    syscall(SYS_dup3, null, STDIN_FILENO, 0);
    // Not to stdout, because another program may read what this one writes there.
    syscall(SYS_dup3, job.purpose == Purpose::report ? STDERR_FILENO : null, STDOUT_FILENO, 0);
    if (job.purpose == Purpose::copies || job.purpose == Purpose::filter || !stderr_is_ours())
        syscall(SYS_dup3, null, STDERR_FILENO, 0);
    if (null > STDERR_FILENO)
        syscall(SYS_close, null);
    AllSignalsBlocked::allow_all();
    syscall(SYS_execve, command, job.arguments, environment);
    return status_not_started;
}

alignas(64) char stacks[2][16 * 1024];

// The first child.
int help(void* argument) {
    Job& job = *static_cast<Job*>(argument);
    // If SIGCHLD is ignored, the status of a child is lost. This changes only the helper's table of
    // actions.
    set_default_action(SIGCHLD);
    int child = clone(become_command, stacks[1] + sizeof stacks[1],
                      CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
    if (child < 0)
        return status_not_started;
    int status;
    if (is_waited_for(job.purpose))
        return wait_for(child);
    // The child has executed the command by now, or ended.
    bool ended = syscall(SYS_wait4, child, &status, WNOHANG, nullptr) == child;
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

// Exit status of the helper, hence of the command.
int run_helper(Job& job) {
    int child = clone(help, stacks[0] + sizeof stacks[0], CLONE_VM | CLONE_VFORK, &job);
    int status;
    if (child < 0 || syscall(SYS_wait4, child, &status, __WALL, nullptr) != child)
        return status_not_started;
    return WIFEXITED(status) ? WEXITSTATUS(status) : status_not_started;
}

// Reports that the command could not be started, or failed.
void report_result(Purpose purpose) {
    constexpr const char* no_command = "vftrace: the vftrace command could not be started; ";
    const char* at_end[] = {"vftrace: the profile is in ", tree_file_path(),
                            "; make it readable with: vftrace recover ", tree_file_path(), "\n"};
    const char* snapshot[] = {no_command, "snapshots are not written\n"};
    const char* copies[] = {no_command, "tree_file.copy_interval has no effect\n"};
    std::span<const char*> parts = at_end;
    if (purpose != Purpose::end)
        parts = purpose == Purpose::snapshot ? snapshot : copies;
    iovec pieces[std::size(at_end)];
    for (std::size_t i = 0; i < parts.size(); i++)
        pieces[i] = {const_cast<char*>(parts[i]), std::strlen(parts[i])};
    if (stderr_is_ours())
        write_within_limit(
            [&] { return syscall(SYS_writev, STDERR_FILENO, pieces, parts.size()); });
}

bool start(const char* const* extra_arguments, Purpose purpose) {
    static BoundedLock lock;
    const char* file = tree_file_path();
    if (!file || seccomp_filter_was_added())
        return false;
    int saved_errno = errno;
    int status = status_not_started;
    AllSignalsBlocked blocked;
    bool locked = lock.lock();
    for (int attempt = 0; purpose == Purpose::end && !locked && attempt < 100; attempt++)
        locked = lock.lock();  // another thread is starting a snapshot
    if (locked) {
        char process[24] = {};
        std::to_chars(process, process + sizeof process - 1, syscall(SYS_getpid));
        Job job{{"vftrace", "recover", "--quiet", "--from-process", process}, purpose};
        std::size_t count = 5;
        while (*extra_arguments)
            job.arguments[count++] = *extra_arguments++;
        job.arguments[count] = file;
        if (command)
            status = run_helper(job);
        lock.unlock();
    }
    // If the command has failed, it has reported why, but not where the tree file is.
    if (status == status_not_started || (purpose == Purpose::end && status != 0))
        report_result(purpose);
    errno = saved_errno;
    return status == 0;
}

}  // namespace

void prepare_recovery(const Options& options) {
    std::size_t count = 0;
    for (const char* name : {"PATH", "HOME", "TZ", "LD_LIBRARY_PATH", run_variable})
        if (const char* value = std::getenv(name))
            if (const char* copy = keep(format("%s=%s", name, value)))
                environment[count++] = copy;
    std::string found = find_command(options);
    if (!found.empty())
        command = keep(found);
}

void start_report(const char* file) {
    if (!stderr_is_ours())
        return;
    const int saved_errno = errno;
    AllSignalsBlocked blocked;
    Job job{{"vftrace", "report", "--no-pager", file, nullptr}, Purpose::report};
    if (!command || seccomp_filter_was_added() || run_helper(job) == status_not_started)
        message("the vftrace command could not be started; print the report with: vftrace report "
                "%s",
                file);
    errno = saved_errno;
}

bool start_filter(const char* profile, const char* filter) {
    const int saved_errno = errno;
    AllSignalsBlocked blocked;
    Job job{{"vftrace", "filter", "-f", "gcc", "-o", filter, profile, nullptr}, Purpose::filter};
    const bool written =
        command && !seccomp_filter_was_added() && run_helper(job) == 0 && access(filter, R_OK) == 0;
    errno = saved_errno;
    return written;
}

bool start_recovery(const char* const* extra_arguments, bool wait) {
    flush_trace();  // the command makes a vfd file of it
    return start(extra_arguments, wait ? Purpose::end : Purpose::snapshot);
}

void start_copies(const Options& options) {
    auto milliseconds = static_cast<long>(options.tree_file_copy_interval * 1000);
    if (milliseconds <= 0)
        return;
    char process[24], seconds[24];
    std::snprintf(process, sizeof process, "%ld", static_cast<long>(syscall(SYS_getpid)));
    std::snprintf(seconds, sizeof seconds, "%ld.%03ld", milliseconds / 1000, milliseconds % 1000);
    const char* follow[] = {"--follow", process, "--every", seconds, nullptr};
    start(follow, Purpose::copies);
}

}  // namespace vftrace
