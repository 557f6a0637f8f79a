// vftrace snapshot: the profile so far of a process, which continues to run.
#include <memory>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/recovery_commands.hpp"
#include "recover/recovery.hpp"
#include "recover/running_process.hpp"

namespace vftrace::tools {
namespace {

struct SnapshotArguments {
    std::vector<std::int64_t> pids;
    std::string output;
    bool since_mark = false;
};

int snapshot(const SnapshotArguments& arguments) {
    check_output_directory(arguments.output);
    RecoveryRequest request;
    request.occasion = Occasion::snapshot;
    request.output_directory = arguments.output;
    request.since_mark = arguments.since_mark;
    int status = status_ok;
    std::vector<std::string> paths;
    for (std::int64_t pid : arguments.pids)
        try {
            paths.push_back(mapped_tree_file(pid));
        } catch (const TreeFileError& error) {
            remark(error.what());
            status = status_failed;
        }
    const int written = write_profiles(paths, request, false, false);
    return written == status_ok ? status : written;
}

}  // namespace

void add_snapshot_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("snapshot", "Write the profile of a running program");
    auto arguments = std::make_shared<SnapshotArguments>();
    command
        .add_option("PID", arguments->pids, "Process ids; ranks of one MPI job become one profile")
        .required()
        .check(NumberCheck{"the id of a process", 1, 0x7fffffff})
        .type_name("");
    command
        .add_option("--output", arguments->output,
                    "Directory for the logs (default: the one that the process uses)")
        .type_name("DIR");
    command.add_flag("--since-mark", arguments->since_mark,
                     "Count from the mark that vftrace mark has set, not from the start");
    command.callback([arguments, &status] { status = snapshot(*arguments); });
}

}  // namespace vftrace::tools
