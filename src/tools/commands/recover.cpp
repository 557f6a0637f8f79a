// vftrace recover: logs, JSON and vfd files of processes that died before they could write them.
#include <algorithm>
#include <ctime>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/links.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/recovery_commands.hpp"
#include "recover/follow.hpp"
#include "recover/mark_file.hpp"
#include "recover/recovery.hpp"
#include "recover/running_process.hpp"
#include "recover/tree_files.hpp"

namespace vftrace::tools {
namespace {

struct RecoverArguments {
    std::vector<std::string> files;
    std::vector<std::string> directories;
    std::string output;
    bool keep = false;
    bool list = false;
    bool all = false;
    bool clean = false;
    double older_than_days = 7;
    // For the library's own use.
    std::optional<std::int64_t> from_process;
    bool snapshot = false;
    bool exec = false;
    bool quiet = false;
    std::optional<std::int64_t> follow;
    double every_seconds = 0;
};

std::vector<std::string> directories_of_trees(const RecoverArguments& arguments) {
    return arguments.directories.empty() ? usual_directories(configured_tree_directory())
                                         : arguments.directories;
}

std::vector<TreeFile> tree_files(const RecoverArguments& arguments) {
    return find_tree_files(directories_of_trees(arguments));
}

// Traces are next to the program's files.
std::vector<TreeFile> trace_files(const RecoverArguments& arguments) {
    return find_trace_files(arguments.directories.empty() ? std::vector<std::string>{"."}
                                                          : arguments.directories);
}

double age_in_seconds(const TreeFile& file) {
    return static_cast<double>(unix_time_ns() - file.changed_unix_ns) / 1e9;
}

std::string age_text(double seconds) {
    struct Unit {
        const char* name;
        double seconds;
    };
    constexpr Unit units[] = {{"days", 86400}, {"h", 3600}, {"min", 60}};
    for (const Unit& unit : units)
        if (seconds >= 2 * unit.seconds)
            return fmt::format("{:.0f} {}", seconds / unit.seconds, unit.name);
    return fmt::format("{:.0f} s", std::max(seconds, 0.0));
}

std::string size_text(std::uint64_t bytes) {
    return bytes < 10'240'000 ? fmt::format("{:.0f} KiB", static_cast<double>(bytes) / 1024)
                              : fmt::format("{:.0f} MiB", static_cast<double>(bytes) / 1048576);
}

std::vector<TreeFile> trees_and_traces(const RecoverArguments& arguments) {
    std::vector<TreeFile> files = tree_files(arguments);
    for (TreeFile& trace : trace_files(arguments))
        files.push_back(std::move(trace));
    return files;
}

void list_files(const std::vector<TreeFile>& files) {
    if (files.empty())
        return fmt::print("No tree files and no traces found.\n");
    fmt::print("{:>8}  {:<9} {:>9} {:>9}  {:<16} {}\n", "PID", "STATE", "SIZE", "AGE", "PROGRAM",
               "FILE");
    for (const TreeFile& file : files)
        show("{:>8}  {:<9} {:>9} {:>9}  {:<16} {}\n", file.pid,
             file.empty              ? (file.running ? "starting" : "empty")
             : !file.problem.empty() ? "unusable"
             : file.elsewhere        ? "elsewhere"
             : file.running          ? "running"
                                     : "dead",
             size_text(file.bytes), age_text(age_in_seconds(file)),
             file.application.empty() ? "?" : file.application, file.path);
}

void remove(const TreeFile& file) {
    remove_mark(file.path);
    if (const int error = remove_own_file(file.path))
        throw CommandError(fmt::format("cannot remove {}: {}", file.path, strerror(error)));
}

void clean(const RecoverArguments& arguments) {
    remove_stale_marks(directories_of_trees(arguments));
    std::size_t removed = 0;
    for (const TreeFile& file : tree_files(arguments)) {
        if (file.running || file.elsewhere ||
            (!file.empty && age_in_seconds(file) < arguments.older_than_days * 86400))
            continue;
        remove(file);
        removed++;
    }
    if (!arguments.quiet)
        fmt::print("{} tree file{} removed.\n", removed, plural_s(removed));
}

RecoveryRequest request_of(const RecoverArguments& arguments) {
    RecoveryRequest request;
    request.occasion = arguments.snapshot ? Occasion::snapshot
                       : arguments.exec   ? Occasion::exec
                                          : Occasion::end;
    request.output_directory = arguments.output;
    request.asking_process = arguments.from_process;
    return request;
}

void recover(const RecoverArguments& arguments, const std::vector<std::string>& paths,
             int& status) {
    const RecoveryRequest request = request_of(arguments);
    const bool removes = request.occasion == Occasion::end && !arguments.keep;
    status = write_profiles(paths, request, removes, arguments.quiet);
}

// The files of processes that have died; reports how many files cannot be recovered.
std::vector<std::string> dead_ones(const std::vector<TreeFile>& files, const char* kind) {
    std::vector<std::string> paths;
    std::size_t unusable = 0, elsewhere = 0;
    for (const TreeFile& file : files) {
        if (file.empty)
            continue;
        if (!file.problem.empty())
            unusable++;
        else if (file.elsewhere)
            elsewhere++;
        else if (!file.running)
            paths.push_back(file.path);
    }
    if (unusable > 0)
        remark(fmt::format("{} {}{} cannot be used, such as those of other versions (see vftrace "
                           "recover --list)",
                           unusable, kind, plural_s(unusable)));
    if (elsewhere > 0)
        remark(
            fmt::format("ignored {} {}{} from other hosts or containers; give the names of these "
                        "files to recover them",
                        elsewhere, kind, plural_s(elsewhere)));
    return paths;
}

void recover_all(const RecoverArguments& arguments, int& status) {
    const std::vector<TreeFile> files = tree_files(arguments);
    for (const TreeFile& file : files)
        if (file.empty && !file.running && !arguments.keep)
            remove(file);
    const std::vector<std::string> trees = dead_ones(files, "tree file");
    recover(arguments, trees, status);
    // Only the remaining traces: those of processes with a tree file were converted with it.
    const std::vector<std::string> traces = dead_ones(trace_files(arguments), "trace");
    int status_of_traces = status_ok;
    recover(arguments, traces, status_of_traces);
    status = std::max(status, status_of_traces);
    if (trees.empty() && traces.empty() && !arguments.quiet)
        fmt::print("No tree files or traces of dead processes found.\n");
}

void carry_out(const RecoverArguments& arguments, int& status) {
    if (arguments.list + arguments.all + arguments.clean + !arguments.files.empty() != 1)
        throw CommandError("recover: give files, or one of --list, --all and --clean (see vftrace "
                           "recover --help)");
    if (arguments.follow && (arguments.files.size() != 1 || arguments.every_seconds <= 0))
        throw CommandError("recover: --follow needs one file and --every");
    check_output_directory(arguments.output);
    // For the library it does what the program would do, to which its own rule applies.
    if (arguments.from_process)
        follow_only_own_links(false);
    if (arguments.list)
        list_files(trees_and_traces(arguments));
    else if (arguments.clean)
        clean(arguments);
    else if (arguments.all)
        recover_all(arguments, status);
    else if (arguments.follow)
        follow_process(*arguments.follow, arguments.every_seconds, arguments.files[0],
                       request_of(arguments));
    else
        recover(arguments, arguments.files, status);
}

void add_options_of_library(const Command& command, RecoverArguments& arguments) {
    const std::string hidden;  // a group without a name is not shown
    command.add_option("--from-process", arguments.from_process).hidden();
    command.add_flag("--snapshot", arguments.snapshot).hidden();
    command.add_flag("--exec", arguments.exec).hidden();
    command.add_flag("--quiet", arguments.quiet).hidden();
    command.add_option("--follow", arguments.follow).hidden();
    command.add_option("--every", arguments.every_seconds)
        .check(NumberCheck{"a number of seconds above 0", 1e-9, 1e9})
        .hidden();
}

}  // namespace

void add_recover_command(const Command& app, int& status) {
    const Command command = app.add_subcommand(
        "recover", "Write the profiles and traces of processes that were killed");
    auto arguments = std::make_shared<RecoverArguments>();
    command
        .add_option("FILE", arguments->files,
                    "Tree files, vftrace-UID-PID-TIME.tree, and traces, *.tmpvfd")
        .type_name("");
    command.add_flag(
        "--list", arguments->list,
        "List your tree files on this machine, and the traces in the current directory");
    command.add_flag("--all", arguments->all, "Recover all files whose process is dead");
    command.add_flag("--clean", arguments->clean,
                     "Remove tree files of dead processes without recovering them");
    command
        .add_option("--older-than", arguments->older_than_days,
                    "With --clean: only those that have not changed for this number of days")
        .type_name("DAYS")
        .check(NumberCheck{"a number of days", 0, 1e6})
        .show_default();
    command
        .add_option(
            "--directory", arguments->directories,
            "Where to look for tree files and traces (default: tree_file.directory, $TMPDIR, "
            "/tmp, /dev/shm for tree files, the current directory for traces)")
        .type_name("DIR")
        .one_value();
    command
        .add_option("--output", arguments->output,
                    "Directory for the output (default: the one that the process would have used)")
        .type_name("DIR");
    command.add_flag("--keep", arguments->keep, "Do not remove tree files and traces afterwards");
    add_options_of_library(command, *arguments);
    command.callback([arguments, &status] {
        status = status_ok;
        carry_out(*arguments, status);
    });
}

}  // namespace vftrace::tools
