// Other programs that a command runs to their end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vftrace::tools {

// Where a program's output goes: a file, which is created or emptied; empty: where ours goes.
struct ChildOutput {
    std::string standard_output, standard_error;
};
inline constexpr const char* no_output = "/dev/null";

struct ChildEnd {
    int status = 0;  // as shells report it: 128 and the number of the signal that ended it
    double wall_seconds = 0;
    double processor_seconds = 0;  // of it and of the processes that it waited for
};

// Runs a program, which is searched in PATH, until it ends. Throws CommandError if it cannot be
// started.
ChildEnd run_child(const std::vector<std::string>& command, const ChildOutput& output = {});

// What a program printed, and how it ended.
struct CapturedOutput {
    int status = 0;            // as above
    std::string text;          // on standard output and error, as one
    std::size_t left_out = 0;  // bytes of it beyond the limit
    bool timed_out = false;    // so that it was ended, with all that it had started
};

struct CaptureLimits {
    std::size_t bytes = std::size_t{1} << 20;
    double seconds = 1e9;
};

// Runs a program in a process group of its own and in a folder (empty: the current one), without
// input, until it ends. Throws CommandError if it cannot be started.
CapturedOutput capture_child(const std::vector<std::string>& command, const CaptureLimits& limits,
                             const std::string& folder = {});

// The file of the command that is running: to call it again.
std::string own_command();

}  // namespace vftrace::tools
