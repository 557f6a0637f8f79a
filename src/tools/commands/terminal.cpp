#include "commands/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/output_file.hpp"
#include "commands/environment_variable.hpp"

namespace vftrace::tools {
namespace {

constexpr std::size_t least_columns = 100, most_columns = 160;

// Zeros if the size is not known, or if the descriptor is not a terminal.
winsize window_of(int descriptor) {
    winsize window{};
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &window) != 0)
        return {};
    return window;
}

// How many lines of the terminal the text takes; long lines take several. Colours, which take no
// room, are counted, so the result may be too large, but never too small.
std::size_t screen_lines(std::string_view text, std::size_t columns) {
    std::size_t lines = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        lines += std::max<std::size_t>(1, (length + columns - 1) / columns);
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lines;
}

// A file without a name that holds the text and is read from its start; -1 on failure.
int unnamed_file(const std::string& text) {
    const int file = memfd_create("vftrace", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    OutputFile out(file);
    out.write(text);
    if (out.close() != 0 || lseek(file, 0, SEEK_SET) != 0) {
        close(file);
        return -1;
    }
    return file;
}

// Ctrl-C is for the pager while it runs.
class InterruptIgnored {
  public:
    InterruptIgnored() : before_(std::signal(SIGINT, SIG_IGN)) {}
    ~InterruptIgnored() { std::signal(SIGINT, before_); }
    InterruptIgnored(const InterruptIgnored&) = delete;
    InterruptIgnored& operator=(const InterruptIgnored&) = delete;

  private:
    void (*before_)(int);
};

// The exit status of the command with the file as its input; 127 if there is no such command.
int run_pager(const std::vector<const char*>& command, int input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 127;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return 127;
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const InterruptIgnored ignored;
    pid_t child = -1;
    // posix_spawnp does not write to the words.
    const int error = posix_spawnp(&child, command.front(), &actions, &attributes,
                                   const_cast<char* const*>(command.data()), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return 127;
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace

bool wants_color(std::string_view when, int descriptor) {
    if (when != color_auto)
        return when == color_always;
    return isatty(descriptor) && environment_variable("NO_COLOR").empty() &&
           environment_variable("TERM") != "dumb";
}

std::size_t terminal_columns(int descriptor) { return window_of(descriptor).ws_col; }

std::size_t table_columns(int descriptor) {
    const std::size_t columns = terminal_columns(descriptor);
    return columns == 0 ? most_columns : std::clamp(columns, least_columns, most_columns);
}

bool show_in_pager(const std::string& text) {
    const winsize window = window_of(STDOUT_FILENO);
    if (window.ws_row == 0 || window.ws_col == 0 ||
        screen_lines(text, window.ws_col) < window.ws_row)
        return false;
    const char* const chosen = std::getenv("PAGER");
    const std::string_view pager = chosen ? chosen : "";
    if (chosen && (pager.empty() || pager == "cat"))
        return false;
    const int input = unnamed_file(text);
    if (input < 0)
        return false;
    // Without this, less shows colours as escape sequences, unless the user's LESS has R.
    setenv("LESS", "FRX", 0);
    const int status = chosen ? run_pager({"/bin/sh", "-c", chosen, nullptr}, input)
                              : run_pager({"less", "-FRX", nullptr}, input);
    close(input);
    return status != 127 && status != 126;  // not found, or not executable
}

}  // namespace vftrace::tools
