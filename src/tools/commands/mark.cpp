// vftrace mark: sets a mark from which figures of a running process count.
#include <memory>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/top_target.hpp"
#include "recover/mark_file.hpp"

namespace vftrace::tools {
namespace {

int mark(const TopTarget& target) {
    int status = status_ok;
    for (const FoundProcess& process : processes_of(target))
        try {
            write_mark(process.tree_file, process.pid);
            fmt::print("{}: mark set\n", process.pid);
        } catch (const TreeFileError& error) {
            remark(error.what());
            status = status_failed;
        }
    return status;
}

}  // namespace

void add_mark_command(const Command& app, int& status) {
    const Command command = app.add_subcommand(
        "mark", "Set a mark in a running program, from which figures can be counted");
    auto target = std::make_shared<TopTarget>();
    command
        .add_option("PID|NAME", target->who,
                    "A process, or all with the name of a program (default: the one process or "
                    "job that is profiled on this host)")
        .type_name("");
    command.add_flag("--job", target->job,
                     "Include all ranks of the process's MPI job that run on this host");
    command.callback([target, &status] { status = mark(*target); });
}

}  // namespace vftrace::tools
