// The vftrace command.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/links.hpp"
#include "base/message.hpp"
#include "commands/bus_error.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"

namespace {

constexpr const char* examples = R"(Examples:
  vftrace-cc -O2 -o heat heat.c           compile a program for profiling
  vftrace run -- ./heat 100               profile it: writes heat_all.log, heat_all.json
  vftrace run --option profile_table.show_callpath=true -- ./heat 100
  vftrace report heat_all.json --group name --sort calls
  vftrace run --trace -- ./heat 100       write a trace too: heat_0.vfd
  vftrace export --format perfetto heat_0.vfd
  vftrace sample 41350 --duration 10      profile a process that runs already
  vftrace analyze heat_*.vfd
  vftrace diff old_all.json new_all.json --threshold 5
  vftrace model n100/heat_all.json n200/heat_all.json n400/heat_all.json
  vftrace filter heat_all.json
  vftrace config check vftrace.json

"vftrace help COMMAND" shows the manual page of a command, "vftrace COMMAND --help" its
options. Exit status: 0; 1 if the command found something wrong (config check: errors;
diff --threshold: something is slower); 2 if the command failed; "vftrace run" has the exit
status of the program.)";

// Removes the first "--" and what follows it from the arguments: these belong to the program, even
// if they look like ours.
std::vector<std::string> split_off_program(std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); i++)
        if (arguments[i] == "--") {
            std::vector<std::string> program(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                             arguments.end());
            arguments.resize(i);
            return program;
        }
    return {};
}

int run(std::vector<std::string> arguments) {
    using namespace vftrace::tools;
    vftrace::follow_only_own_links(true);
    CommandLine line("vftrace", "vftrace profiles HPC programs and shows their profiles.");
    const Command app = line.root();
    app.require_subcommand();

    std::vector<std::string> program;
    constexpr std::string_view run_programs[] = {"run", "ab", "parameters"};
    const bool runs_program =
        !arguments.empty() && std::find(std::begin(run_programs), std::end(run_programs),
                                        arguments.front()) != std::end(run_programs);
    if (runs_program)
        program = split_off_program(arguments);
    else  // a file size limit is to be an error, not the end; programs would inherit this
        std::signal(SIGXFSZ, SIG_IGN);
    int status = status_ok;
    add_run_command(app, program);
    add_report_command(app, status);
    add_recover_command(app, status);
    add_snapshot_command(app, status);
    add_sample_command(app, status);
    add_start_command(app, status);
    add_stop_command(app, status);
    add_mark_command(app, status);
    add_rollcall_command(app, status);
    add_top_command(app, status);
    add_dump_command(app, status);
    add_info_command(app, status);
    add_config_command(app, status);
    add_analyze_command(app, status);
    add_annotate_command(app, status);
    add_export_command(app, status);
    add_diff_command(app, status);
    add_ab_command(app, status, program);
    add_store_command(app, status);
    add_history_command(app, status);
    add_mcp_command(app, status);
    add_merge_command(app, status);
    add_model_command(app, status);
    add_filter_command(app, status);
    add_parameters_command(app, status, program);
    add_help_command(app);
    app.footer(examples);     // after the commands were added: they would inherit it
    if (arguments.empty()) {  // the list of commands
        std::fputs(app.help_of({}).c_str(), stderr);
        return status_failed;
    }
    return line.read(arguments) ? status : status_ok;
}

}  // namespace

int main(int argc, char** argv) {
    vftrace::tools::end_with_message_on_bus_error();
    try {
        const int status = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            throw vftrace::tools::CommandError(
                fmt::format("standard output: {}", std::strerror(errno)));
        return status;
    } catch (const vftrace::tools::UsageError& error) {
        vftrace::message_of(vftrace::Speaker::job, "%s", error.what());
        return error.status;
    } catch (const vftrace::tools::CommandError& error) {
        vftrace::message("%s", error.what());
        return error.status;
    } catch (const std::exception& error) {
        vftrace::message("%s", error.what());
        return vftrace::tools::status_failed;
    }
}
