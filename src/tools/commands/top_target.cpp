#include "commands/top_target.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

#include "commands/commands.hpp"
#include "commands/recovery_commands.hpp"
#include "live/jobs.hpp"

namespace vftrace::tools {
namespace {

std::optional<std::int64_t> process_number(const std::string& text) {
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error != std::errc() || end != text.data() + text.size() || pid < 1)
        return std::nullopt;
    return pid;
}

std::string list_of(const std::vector<FoundProcess>& processes) {
    constexpr std::size_t most = 10;
    std::string text;
    for (std::size_t i = 0; i < processes.size() && i < most; i++)
        text += fmt::format("{}{} ({})", i > 0 ? ", " : "", processes[i].pid, processes[i].name);
    if (processes.size() > most)
        text += fmt::format(" and {} more", processes.size() - most);
    return text;
}

// The kernel keeps 15 characters of a name.
bool is_named(const FoundProcess& process, const std::string& name) {
    constexpr std::size_t known_to_kernel = 15;
    if (process.name == name.substr(0, known_to_kernel))
        return true;
    std::error_code error;
    const auto file =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process.pid), error);
    return !error && file.filename() == name;
}

std::string why_there_is_none(const FoundProcesses& found, const std::string& what) {
    if (!found.forbidden.empty())
        return fmt::format("{}; there is no permission to read processes of other users: {}", what,
                           list_of(found.forbidden));
    if (!found.not_visible.empty())
        return fmt::format("{}; {}", what, found.not_visible.front());
    return what;
}

}  // namespace

std::vector<FoundProcess> processes_of(const TopTarget& target) {
    const std::optional<std::int64_t> pid = process_number(target.who);
    if (pid && !target.job) {
        try {
            return {find_process(*pid)};
        } catch (const NotWatchable& error) {
            throw CommandError(error.what());
        }
    }
    FoundProcesses found = find_processes(configured_tree_directory());
    if (pid) {
        try {
            find_process(*pid);
        } catch (const NotWatchable& error) {
            throw CommandError(error.what());
        }
        return processes_of_job(found.processes, *pid);
    }
    if (!target.who.empty()) {
        const auto other = [&](const FoundProcess& process) {
            return !is_named(process, target.who);
        };
        std::erase_if(found.processes, other);
        std::erase_if(found.forbidden, other);
        if (found.processes.empty())
            throw CommandError(why_there_is_none(
                found,
                fmt::format("no process named \"{}\" is profiled on this host", target.who)));
    }
    if (found.processes.empty())
        throw CommandError(why_there_is_none(found, "no process is profiled on this host"));
    if (target.job || target.who.empty()) {
        const JobMembers meant = members_of_job(found.processes, "");
        if (meant.jobs.size() == 1) {
            std::vector<FoundProcess> job;
            for (const std::size_t i : meant.members)
                job.push_back(found.processes[i]);
            return job;
        }
        throw CommandError(fmt::format(
            "several processes are profiled on this host; give a process id or a program name: {}",
            list_of(found.processes)));
    }
    return found.processes;
}

}  // namespace vftrace::tools
