#include "commands/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "commands/commands.hpp"

namespace vftrace::tools {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

class FileActions {
  public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    void write_to(int descriptor, const std::string& file) {
        constexpr mode_t for_user_alone = 0600;
        if (!file.empty())
            posix_spawn_file_actions_addopen(&actions_, descriptor, file.c_str(),
                                             O_WRONLY | O_CREAT | O_TRUNC, for_user_alone);
    }
    void read_from(const char* file) {
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, file, O_RDONLY, 0);
    }
    void copy(int descriptor, int as) {
        posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
    }
    void change_folder(const std::string& folder) {
        if (!folder.empty())
            posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_;
};

// The program becomes the leader of a process group, and signals that we ignore act on it.
class OwnGroup {
  public:
    OwnGroup() {
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        sigset_t all;
        sigfillset(&all);
        posix_spawnattr_setsigdefault(&attributes_, &all);
    }
    ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }
    OwnGroup(const OwnGroup&) = delete;
    OwnGroup& operator=(const OwnGroup&) = delete;
    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_;
};

pid_t spawn(const std::vector<std::string>& command, const FileActions& actions,
            const posix_spawnattr_t* attributes) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command)
        argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to it
    argv.push_back(nullptr);
    pid_t child = -1;
    const int error =
        posix_spawnp(&child, argv[0], actions.get(), attributes, argv.data(), environ);
    if (error != 0)
        throw CommandError(fmt::format("{}: {}", command[0], std::strerror(error)));
    return child;
}

// Waits for it. Returns its status as shells report it.
int end_of(pid_t child, rusage& used) {
    int status = 0;
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    constexpr int of_signals = 128;
    return WIFSIGNALED(status) ? of_signals + WTERMSIG(status) : WEXITSTATUS(status);
}

// Returns false at the end of the output, or of the time.
bool read_some(int descriptor, std::size_t most_bytes, std::uint64_t end, CapturedOutput& output) {
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t left_ms = now < end ? (end - now) / 1'000'000 + 1 : 0;
    constexpr std::uint64_t most_ms = 60'000;
    pollfd file{descriptor, POLLIN, 0};
    const int ready = poll(&file, 1, static_cast<int>(std::min(left_ms, most_ms)));
    output.timed_out = ready == 0 && left_ms <= most_ms;
    if (ready <= 0)
        return ready == 0 ? !output.timed_out : errno == EINTR;
    char buffer[1 << 14];
    const ssize_t length = read(descriptor, buffer, sizeof buffer);
    if (length <= 0)
        return length < 0 && errno == EINTR;
    const auto bytes = static_cast<std::size_t>(length);
    const std::size_t kept = std::min(bytes, most_bytes - output.text.size());
    output.text.append(buffer, kept);
    output.left_out += bytes - kept;
    return true;
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command, const ChildOutput& output) {
    FileActions actions;
    actions.write_to(STDOUT_FILENO, output.standard_output);
    actions.write_to(STDERR_FILENO, output.standard_error);
    const std::uint64_t begin = monotonic_ns();
    const pid_t child = spawn(command, actions, nullptr);
    rusage used{};
    const int status = end_of(child, used);
    return {status, static_cast<double>(monotonic_ns() - begin) / 1e9,
            seconds(used.ru_utime) + seconds(used.ru_stime)};
}

CapturedOutput capture_child(const std::vector<std::string>& command, const CaptureLimits& limits,
                             const std::string& folder) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw CommandError(fmt::format("a pipe: {}", std::strerror(errno)));
    const Descriptor reading(ends[0]);
    CapturedOutput output;
    pid_t child = -1;
    {
        const Descriptor writing(ends[1]);
        FileActions actions;
        actions.read_from(no_output);
        actions.copy(ends[1], STDOUT_FILENO);
        actions.copy(ends[1], STDERR_FILENO);
        actions.change_folder(folder);
        const OwnGroup group;
        child = spawn(command, actions, group.get());
    }
    const std::uint64_t end = monotonic_ns() + static_cast<std::uint64_t>(limits.seconds * 1e9);
    while (read_some(reading, limits.bytes, end, output)) {
    }
    if (output.timed_out)
        kill(-child, SIGKILL);
    rusage used{};
    output.status = end_of(child, used);
    return output;
}

std::string own_command() {
    std::error_code error;
    const std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
    return error ? "vftrace" : path;
}

}  // namespace vftrace::tools
