#include "live/find_processes.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/core.h>

#include "base/text.hpp"
#include "recover/running_process.hpp"
#include "recover/tree_files.hpp"

namespace vftrace {
namespace {

constexpr struct {
    Presence presence;
    const char* word;
} presence_words[] = {{Presence::running, "running"},
                      {Presence::ended, "ended"},
                      {Presence::other_program, "another program now"},
                      {Presence::replaced, "ended; its id now belongs to another process"},
                      {Presence::not_visible, "not visible from here"},
                      {Presence::no_permission, "no permission"},
                      {Presence::not_profiled, "not profiled"},
                      {Presence::damaged, "tree file damaged"},
                      {Presence::other_version, "tree file of another version"}};

// The process id in the process namespace of the process.
std::int64_t own_number(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("NSpid:")) {
            const std::size_t last = line.find_last_of(" \t");
            std::int64_t number = pid;
            std::from_chars(line.data() + last + 1, line.data() + line.size(), number);
            return number;
        }
    return pid;
}

// Whether the file with that path belongs to the process: in a container, the path may mean another
// file.
bool is_of(const std::string& path, std::uint64_t start) {
    try {
        return FileImage::of_file(path, sizeof(ProcessRecord)).record().process_start == start;
    } catch (const TreeFileError&) {  // the reader will report the problem
        return std::filesystem::exists(path);
    }
}

// A tree file in the usual directories that was written by a process with that id which is not
// visible from here.
std::optional<std::string> file_of_invisible(std::int64_t pid) {
    for (const TreeFile& file : find_tree_files(usual_directories("")))
        if (file.pid == pid && file.problem.empty() && file.elsewhere)
            return file.path;
    return std::nullopt;
}

}  // namespace

const char* word_of(Presence presence) {
    for (const auto& row : presence_words)
        if (row.presence == presence)
            return row.word;
    return "";
}

FoundProcess find_process(std::int64_t pid) {
    FoundProcess process;
    process.pid = pid;
    const std::optional<std::uint64_t> start = start_of_process(pid);
    if (!start) {
        if (const auto file = file_of_invisible(pid))
            throw NotWatchable(Presence::not_visible,
                               fmt::format("{}: not visible from here: it runs, or ran, in another "
                                           "process namespace or on another host ({})",
                                           pid, *file));
        throw NotWatchable(Presence::ended, fmt::format("{}: no such process", pid));
    }
    process.start = *start;
    process.name = kernel_name(pid);
    TreeMappings found;
    try {
        found = tree_mappings(pid, own_number(pid));
    } catch (const NoPermissionError& error) {
        throw NotWatchable(Presence::no_permission, error.what());
    } catch (const TreeFileError& error) {
        throw NotWatchable(Presence::ended, error.what());
    }
    if (!found.tree)
        throw NotWatchable(
            Presence::not_profiled,
            found.has_library
                ? fmt::format("{}: does not have a tree file: it has not recorded anything yet, "
                              "has ended, or its option tree_file.active is false",
                              pid)
                : fmt::format("{}: is not profiled by vftrace", pid));
    if (found.tree->removed)
        throw NotWatchable(Presence::not_profiled,
                           fmt::format("{}: its tree file has been removed: the process has ended, "
                                       "or the file was deleted",
                                       pid));
    process.tree_file = found.tree->path;
    if (!is_of(process.tree_file, process.start)) {
        // It runs in a container and has other files.
        const std::string root = fmt::format("/proc/{}/root", pid);
        if (!is_of(root + process.tree_file, process.start))
            throw NotWatchable(
                Presence::not_visible,
                fmt::format("{}: its tree file {} is not visible from here: it runs in another "
                            "mount namespace",
                            pid, process.tree_file));
        process.root = root;
        process.tree_file = root + process.tree_file;
    }
    return process;
}

FoundProcesses find_processes(const std::string& tree_directory) {
    FoundProcesses found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::int64_t pid = 0;
        const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (problem != std::errc() || rest != name.data() + name.size())
            continue;
        try {
            found.processes.push_back(find_process(pid));
        } catch (const NotWatchable& reason) {
            FoundProcess other;
            other.pid = pid;
            other.name = kernel_name(pid);
            if (reason.why == Presence::no_permission && !is_kernel_thread(pid))
                found.forbidden.push_back(other);
            else if (reason.why == Presence::not_visible)
                found.not_visible.push_back(reason.what());
        }
    }
    std::sort(found.processes.begin(), found.processes.end(),
              [](const FoundProcess& a, const FoundProcess& b) { return a.pid < b.pid; });
    for (const TreeFile& file : find_tree_files(usual_directories(tree_directory))) {
        const bool known = std::any_of(found.processes.begin(), found.processes.end(),
                                       [&](const FoundProcess& process) {
                                           return process.tree_file.ends_with(base_name(file.path));
                                       });
        if (file.problem.empty() && file.elsewhere && !known)
            found.not_visible.push_back(
                fmt::format("{}: process {} of {} is not visible from here: it runs, or ran, in "
                            "another process namespace or on another host",
                            file.path, file.pid, file.application));
    }
    return found;
}

bool still_runs(const FoundProcess& process) {
    return start_of_process(process.pid) == process.start;
}

}  // namespace vftrace
