#include "commands/command_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vftrace::tools {
namespace {

constexpr std::size_t longest_output = 1 << 20;

std::vector<char*> environment_without(std::initializer_list<std::string_view> names) {
    std::vector<char*> kept;
    for (char** entry = environ; *entry; entry++) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (std::find(names.begin(), names.end(), name) == names.end())
            kept.push_back(*entry);
    }
    kept.push_back(nullptr);
    return kept;
}

// Closes both ends when it is destroyed; a descriptor that was given away is -1.
struct Pipe {
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            ends = {-1, -1};
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t end) {
        if (ends[end] >= 0)
            close(ends[end]);
        ends[end] = -1;
    }
    std::array<int, 2> ends = {-1, -1};
};

bool spawn(const std::vector<std::string>& command, char* const* environment, int output,
           pid_t& child) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command)
        argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to it
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environment);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& command,
                                     std::initializer_list<std::string_view> without_variables) {
    Pipe pipe;
    pid_t child = -1;
    if (pipe.ends[0] < 0 ||
        !spawn(command, environment_without(without_variables).data(), pipe.ends[1], child))
        return std::nullopt;
    pipe.close_end(1);
    std::string output;
    std::array<char, 4096> piece;
    while (output.size() < longest_output) {
        const ssize_t length = read(pipe.ends[0], piece.data(), piece.size());
        if (length > 0)
            output.append(piece.data(), static_cast<std::size_t>(length));
        else if (length == 0 || errno != EINTR)
            break;
    }
    pipe.close_end(0);
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    // If SIGCHLD is ignored, there is no status; then the output is accepted without it.
    if (ended == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return std::nullopt;
    return output;
}

}  // namespace vftrace::tools
