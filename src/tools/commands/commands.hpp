// The subcommands of `vftrace`. Each adds itself to the command line and carries out its request.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

class Command;

// Exit statuses of all commands; `vftrace run` ends with that of the program.
inline constexpr int status_ok = 0;
inline constexpr int status_found_errors = 1;  // the command worked and found something wrong
inline constexpr int status_failed = 2;        // wrong arguments, or the command could not work

// Ends the command and prints its text on stderr.
class CommandError : public std::runtime_error {
  public:
    explicit CommandError(const std::string& text, int exit_status = status_failed)
        : std::runtime_error(text), status(exit_status) {}
    int status;
};

// An error in the command line itself. The ranks of a job all have the same command line, so the
// error is printed only once.
class UsageError : public CommandError {
  public:
    using CommandError::CommandError;
};

// "; did you mean "x"?", or nothing if there is nothing similar.
std::string did_you_mean(std::string_view suggestion);

// Prints what `vftrace report FILE` prints to an open file.
void print_report(const std::string& file, int descriptor);

// Each adds a subcommand, which sets `status` when it is carried out. `program` holds the first
// "--" of the command line and what follows it.
void add_run_command(const Command& app, std::vector<std::string>& program);
void add_report_command(const Command& app, int& status);
void add_recover_command(const Command& app, int& status);
void add_snapshot_command(const Command& app, int& status);
void add_sample_command(const Command& app, int& status);
void add_start_command(const Command& app, int& status);
void add_stop_command(const Command& app, int& status);
void add_mark_command(const Command& app, int& status);
void add_rollcall_command(const Command& app, int& status);
void add_top_command(const Command& app, int& status);
void add_dump_command(const Command& app, int& status);
void add_info_command(const Command& app, int& status);
void add_config_command(const Command& app, int& status);
void add_analyze_command(const Command& app, int& status);
void add_annotate_command(const Command& app, int& status);
void add_export_command(const Command& app, int& status);
void add_diff_command(const Command& app, int& status);
void add_store_command(const Command& app, int& status);
void add_history_command(const Command& app, int& status);
void add_mcp_command(const Command& app, int& status);
void add_merge_command(const Command& app, int& status);
void add_model_command(const Command& app, int& status);
void add_filter_command(const Command& app, int& status);
void add_help_command(const Command& app);
void add_ab_command(const Command& app, int& status, std::vector<std::string>& programs);
void add_parameters_command(const Command& app, int& status, std::vector<std::string>& program);

}  // namespace vftrace::tools
