#include "commands/bus_error.hpp"

#include <csignal>
#include <string_view>
#include <termios.h>
#include <unistd.h>

#include "commands/commands.hpp"

namespace vftrace::tools {
namespace {

termios terminal_at_start;
bool has_terminal;

void write_all(int file, std::string_view text) {
    if (write(file, text.data(), text.size()) < 0)
        return;  // there is nobody to report it to
}

// Only async-signal-safe functions: the fault may have happened anywhere.
void on_bus_error(int number, siginfo_t* information, void*) {
    if (information->si_code != BUS_ADRERR) {
        std::signal(number, SIG_DFL);  // the instruction is repeated, and fails again
        return;
    }
    if (has_terminal && tcsetattr(STDIN_FILENO, TCSANOW, &terminal_at_start) == 0 &&
        isatty(STDOUT_FILENO))
        write_all(STDOUT_FILENO, "\x1b[?1049l\x1b[?25h");  // as "vftrace top" found it
    write_all(STDERR_FILENO,
              "vftrace: a file was truncated while it was read: try again when its owner does not "
              "change it any more\n");
    _exit(status_failed);
}

}  // namespace

void end_with_message_on_bus_error() {
    has_terminal = tcgetattr(STDIN_FILENO, &terminal_at_start) == 0;
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
}

}  // namespace vftrace::tools
