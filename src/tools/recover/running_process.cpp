#include "recover/running_process.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/kernel_files.hpp"
#include "base/text.hpp"
#include "recover/tree_files.hpp"

namespace vftrace {

std::optional<std::string> contents_of(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return std::nullopt;
    return text.str();
}

std::optional<std::uint64_t> start_of_process(std::int64_t pid) {
    const std::uint64_t start = process_start(pid);
    return start != 0 ? std::optional(start) : std::nullopt;
}

bool is_stopped(std::int64_t pid) {
    const char state = process_stat(pid).value_or(ProcessStat()).state;
    return state == 'T' || state == 't';
}

char state_of_thread(std::int64_t pid, std::int64_t tid) {
    return process_stat(pid, tid).value_or(ProcessStat()).state;
}

bool is_kernel_thread(std::int64_t pid) {
    constexpr std::uint64_t kernel_thread = 0x00200000;  // PF_KTHREAD of linux/sched.h
    return (process_stat(pid).value_or(ProcessStat()).flags & kernel_thread) != 0;
}

std::int64_t parent_of(std::int64_t pid) {
    return process_stat(pid).value_or(ProcessStat()).parent;
}

// The owner of /proc/PID is not enough: that is root for each process that may not be inspected. A
// setuid program has its user's real id.
bool is_of_user_or_root(std::int64_t pid) {
    const std::string status = contents_of(fmt::format("/proc/{}/status", pid)).value_or("");
    constexpr std::string_view start = "\nUid:";
    const std::size_t at = status.find(start);
    if (at == status.npos)
        return false;
    std::istringstream line(status.substr(at + start.size()));
    std::uint64_t real, effective, saved;
    if (!(line >> real >> effective >> saved))
        return false;
    const auto is_trusted = [](std::uint64_t user) { return user == 0 || user == geteuid(); };
    return is_trusted(real) && is_trusted(effective) && is_trusted(saved);
}

bool still_runs(const ProcessRecord& record) {
    return start_of_process(record.pid) == record.process_start;
}

std::uint64_t processor_ns_of(std::int64_t pid) {
    clockid_t clock;
    timespec used;
    if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(used.tv_nsec);
}

bool runs_since(std::int64_t pid, std::int64_t unix_ns) {
    const std::optional<std::uint64_t> start = start_of_process(pid);
    if (!start)
        return false;
    // The wall clock may have been adjusted in the meantime.
    constexpr double tolerance_ns = 2e9;
    timespec since_boot;
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const double boot_unix_ns = static_cast<double>(unix_time_ns()) -
                                static_cast<double>(since_boot.tv_sec) * 1e9 -
                                static_cast<double>(since_boot.tv_nsec);
    const double start_ns =
        static_cast<double>(*start) * 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
    return boot_unix_ns + start_ns <= static_cast<double>(unix_ns) + tolerance_ns;
}

bool is_elsewhere(const ProcessRecord& record, const std::string& host) {
    char own_host[HOST_NAME_MAX + 1] = {};
    gethostname(own_host, sizeof own_host - 1);
    const std::uint64_t own = own_pid_namespace();
    return host != own_host || (own != 0 && own != record.pid_namespace);
}

std::string kernel_name(std::int64_t pid) {
    std::string name = contents_of(fmt::format("/proc/{}/comm", pid)).value_or("");
    return std::string(trim(name));
}

std::string thread_kernel_name(std::int64_t pid, std::int32_t tid) {
    const std::string name =
        std::string(trim(contents_of(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("")));
    return name == kernel_name(pid) ? "" : name;
}

TreeMappings tree_mappings(std::int64_t pid, std::int64_t own_pid) {
    const std::optional<std::string> maps = contents_of(fmt::format("/proc/{}/maps", pid));
    const int error = errno;
    if (!start_of_process(pid))
        throw TreeFileError(fmt::format("{}: no such process", pid));
    if (!maps)
        throw NoPermissionError(
            fmt::format("{}: its memory cannot be read: {}", pid, std::strerror(error)));
    TreeMappings found;
    for (std::string_view line : split(*maps, '\n')) {
        // A path is everything from the first slash: the fields before it do not contain a slash.
        const std::size_t slash = line.find('/');
        if (slash == std::string_view::npos)
            continue;
        std::string_view path = line.substr(slash);
        constexpr std::string_view deleted = " (deleted)";
        const bool removed = path.ends_with(deleted);
        if (removed)
            path.remove_suffix(deleted.size());
        const std::string_view name = base_name(path);
        found.has_library = found.has_library || name.starts_with("libvftrace");
        if (pid_in_tree_file_name(name) != own_pid || (found.tree && removed))
            continue;
        found.tree = TreeMapping{std::string(path), removed};
        if (!removed)
            break;
    }
    return found;
}

std::string mapped_tree_file(std::int64_t pid) {
    const TreeMappings found = tree_mappings(pid, pid);
    if (found.tree && !found.tree->removed)
        return found.tree->path;
    if (found.tree)
        throw TreeFileError(fmt::format(
            "{}: its tree file has been removed: the process has ended, or the file was deleted",
            pid));
    if (found.has_library)
        throw TreeFileError(
            fmt::format("{}: does not have a tree file: it has not recorded anything yet, has "
                        "ended, or its option tree_file.active is false",
                        pid));
    throw TreeFileError(fmt::format("{}: is not profiled by vftrace", pid));
}

void name_running_threads(RecoveredProcess& process) {
    const std::int64_t pid = process.record().pid;
    std::vector<std::int32_t> unnamed;
    for (const ThreadRecord* thread = process.record().threads; thread; thread = thread->next)
        if (thread->in_use && !thread->name[0])
            unnamed.push_back(thread->tid);
    for (std::int32_t tid : unnamed)
        process.name_thread(tid, thread_kernel_name(pid, tid));
}

}  // namespace vftrace
