#include "commands/saved_profile.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"

extern char** environ;

namespace vftrace::tools {
namespace {

struct Answer {
    int status = -1;
    std::string text;  // of stdout and stderr
};

Answer run_this_command(std::vector<std::string> arguments) {
    Answer answer;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {-1, std::strerror(errno)};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::string command = "vftrace";
    std::vector<char*> words{command.data()};
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, "/proc/self/exe", &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return {-1, std::strerror(error)};
    }
    char buffer[4096];
    for (ssize_t length; (length = read(ends[0], buffer, sizeof buffer)) != 0;)
        if (length > 0)
            answer.text.append(buffer, static_cast<std::size_t>(length));
        else if (errno != EINTR)
            break;
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
}

// The last line of the text that ends with `end`.
std::string line_with(const std::string& text, std::string_view end) {
    std::string found;
    for (std::string_view line : split(text, '\n'))
        if (trim(line).ends_with(end))
            found = std::string(trim(line));
    return found;
}

SavedProfile failed(const Answer& answer) {
    std::string line;
    for (std::string_view each : split(answer.text, '\n'))
        if (!trim(each).empty())
            line = std::string(trim(each));
    constexpr std::string_view prefix = "vftrace: ";
    if (line.starts_with(prefix))
        line.erase(0, prefix.size());
    return {false, line.empty() ? "nothing could be saved" : line};
}

}  // namespace

SavedProfile save_profile(const std::vector<std::int64_t>& pids, bool page,
                          const std::string& directory) {
    if (pids.empty())
        return {false, "no process is still running"};
    std::vector<std::string> arguments{"snapshot"};
    for (std::int64_t pid : pids)
        arguments.push_back(std::to_string(pid));
    if (!directory.empty()) {
        arguments.push_back("--output");
        arguments.push_back(directory);
    }
    const Answer snapshot = run_this_command(arguments);
    const std::string json = line_with(snapshot.text, ".json");
    const std::string log = line_with(snapshot.text, ".log");
    if (snapshot.status != 0 || (json.empty() && log.empty()))
        return failed(snapshot);
    if (!page)
        return {true, "saved " + (log.empty() ? json : log)};
    if (json.empty())
        return {false,
                "a page needs the JSON file, which the program does not write (option json)"};
    const Answer report = run_this_command({"report", "--html", json});
    const std::string html = line_with(report.text, ".html");
    if (report.status != 0 || html.empty())
        return failed(report);
    return {true, "saved " + html};
}

}  // namespace vftrace::tools
