// vftrace run: starts a program with the library preloaded and the configuration in its
// environment. The program replaces this process, so its process id, signals and exit status are
// what they would be without vftrace.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/directories.hpp"
#include "base/launcher.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "commands/foreign_text.hpp"
#include "commands/openmp_library.hpp"
#include "commands/program_file.hpp"
#include "commands/run_launcher.hpp"
#include "commands/run_library.hpp"
#include "commands/run_options.hpp"
#include "config/config.hpp"
#include "config/options.hpp"
#include "config/run_folder.hpp"
#include "config/run_variable.hpp"
#include "symbol/program_image.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

// As in shells.
constexpr int status_not_found = 127;
constexpr int status_not_executable = 126;

// Instead of a number of samples per second: as many as are cheap.
constexpr std::string_view rate_by_cost = "auto";

struct RunArguments {
    std::string config;
    std::string output_directory;
    std::vector<std::string> options, parameters;
    LibraryRequest library;
    std::string openmp = "auto";
    std::string sample;  // samples per second, or rate_by_cost; empty if none
    std::string watchdog, watchdog_signal;
    bool trace = false, waiting = false, memory = false, io = false, report = false;
};

// Paths become absolute: the program may change its directory before it reads them.
void set_environment(const RunArguments& arguments) {
    if (!arguments.config.empty()) {
        if (access(arguments.config.c_str(), R_OK) != 0)
            throw CommandError(fmt::format("{}: {}", arguments.config, std::strerror(errno)));
        set_environment_variable("VFTR_CONFIG", fs::absolute(arguments.config).string());
    }
    for (const std::string& option : arguments.options)
        set_option(option);
    add_parameters(arguments.parameters);
    if (arguments.trace)
        set_environment_variable(environment_name("sampling.active"), "true");
    if (arguments.waiting)
        set_environment_variable(environment_name("waiting.active"), "on");
    if (arguments.memory)
        set_environment_variable(environment_name("memory.profile"), "sampled");
    if (arguments.io)
        set_environment_variable(environment_name("io.active"), "yes");
    if (arguments.report)
        set_environment_variable(environment_name("end.report"), "true");
    if (!arguments.watchdog.empty())
        set_option("watchdog.after=" + arguments.watchdog);
    if (!arguments.watchdog_signal.empty())
        set_option("watchdog.signal=" + arguments.watchdog_signal);
    constexpr NumberCheck above_zero{"", std::numeric_limits<double>::min(), HUGE_VAL};
    const bool chooses_rate = arguments.sample == rate_by_cost;
    if (!arguments.sample.empty() && !chooses_rate && !above_zero(arguments.sample).empty())
        throw UsageError(fmt::format("--sample={}: must be a number of samples per second, above 0",
                                     arguments.sample));
    if (!arguments.sample.empty() && !chooses_rate)
        set_environment_variable(environment_name("stack_sampling.frequency"), arguments.sample);
    if (chooses_rate) {
        set_environment_variable(environment_name("stack_sampling.frequency"), "1000");
        set_environment_variable(environment_name("stack_sampling.max_cost"), "1");
    }
    if (!arguments.output_directory.empty()) {
        const std::string& directory = arguments.output_directory;
        if (is_run_folder(directory) && !fs::is_directory(directory_of_runs(directory)))
            throw CommandError(fmt::format("{}: no such directory", directory_of_runs(directory)));
        // A missing directory is created at the end, as doc/ends.md says.
        if (const int error = is_run_folder(directory) ? 0 : check_new_files(directory))
            throw CommandError(
                fmt::format("cannot write files to {}: {}", directory, strerror(error)));
        set_environment_variable(environment_name("output_directory"),
                                 fs::absolute(directory).string());
    }
}

// The name of a run's folder: that of the first word that is an ordinary program, or else of the
// script of an interpreter.
std::string name_of_program(const std::vector<std::string>& words) {
    for (const std::string& word : words)
        if (const std::string path = find_program(word);
            !path.empty() && program_kind(path) == ProgramKind::ordinary)
            return std::string(base_name(word));
    std::error_code error;
    const bool has_script = words.size() > 1 && fs::is_regular_file(words[1], error);
    return std::string(base_name(words[has_script ? 1 : 0]));
}

// All processes started from here on share a folder, if each run is to have one. Ranks that are
// started one by one and do not know what they have in common each decide for themselves first.
void name_run(const RunArguments& arguments, const std::vector<std::string>& program,
              const Options& options) {
    // Inside another run it shares the folder of that run, unless one was requested.
    if (!arguments.output_directory.empty() && !launcher_rank(environ))
        unsetenv(run_name_variable);
    if (!is_run_folder(options.output_directory))
        return;
    if (const RunName name = run_name(name_of_program(program)); name.agreed)
        set_environment_variable(run_name_variable, name.text);
}

[[noreturn]] void execute(const std::vector<std::string>& program) {
    std::vector<char*> argv;
    argv.reserve(program.size() + 1);
    for (const std::string& argument : program)
        argv.push_back(const_cast<char*>(argument.c_str()));  // execvp does not write to it
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    int error = errno;
    // execvp() also returns this error for a folder in PATH that may not be searched.
    if (error == EACCES && !is_file_of_path(program[0]))
        error = ENOENT;
    throw CommandError(fmt::format("{}: {}", program[0], std::strerror(error)),
                       error == ENOENT ? status_not_found : status_not_executable);
}

// Used if the library cannot be loaded: the loader would print errors, or the program would not
// start.
[[noreturn]] void run_unprofiled(const RunArguments& arguments,
                                 const std::vector<std::string>& program, const std::string& path,
                                 const ProgramImage& image) {
    set_environment(arguments);
    if (environment_variable("LD_PRELOAD").empty())
        unsetenv("LD_PRELOAD");
    if (is_speaker(Speaker::job))
        remark(fmt::format("{} {}", *image.interpreter ? image.interpreter : path,
                           reason_and_remedy(image.obstacle)));
    execute(program);
}

bool looks_like_a_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

[[noreturn]] void run(const RunArguments& arguments, std::vector<std::string> program) {
    if (program.empty())
        throw UsageError("run: no program given (vftrace run [OPTIONS] -- PROGRAM [ARGUMENTS])");
    const std::string path = find_program(program[0]);
    if (path.empty() && !arguments.sample.empty() && looks_like_a_number(program[0]))
        throw UsageError(fmt::format("run: no program \"{0}\"; samples per second are given as "
                                     "--sample={0}",
                                     program[0]));
    // Commands that this process starts itself are not to be profiled.
    set_environment_variable("LD_PRELOAD", other_preloaded_libraries());
    const ProgramImage image = examine_program_image(path.c_str());
    if (image.obstacle != Obstacle::none)
        run_unprofiled(arguments, program, path, image);
    const LinkedLibraries linked = libraries_of(path);
    const std::string library = choose_library(arguments.library, linked);
    const bool uses_mpi = linked.mpi == MpiUse::certain || arguments.library.mpi == "yes";
    set_environment(arguments);
    Findings findings;  // reported by the library
    const Options options = read_configuration(findings).options;
    std::vector<std::string> libraries = further_libraries(options, library);
    libraries.insert(libraries.begin(), library);
    name_run(arguments, program, options);
    if (is_speaker(Speaker::job)) {
        for (const std::string& reason :
             reasons_for_poor_profile(path, uses_mpi, !arguments.sample.empty()))
            remark(reason);
        if (arguments.trace && !arguments.sample.empty())
            remark(
                "--trace with --sample: the trace has regions, MPI calls and similar, but not the "
                "samples");
    }
    const std::string openmp = openmp_library_to_preload(arguments.openmp, path);
    const bool hands_on = is_open_mpi_launcher(path);
    const bool collects = program_kind(path) == ProgramKind::mpi_launcher && isatty(STDERR_FILENO);
    if (environment_variable(run_variable) != stderr_is_terminal)
        set_environment_variable(run_variable, collects ? std::string(stderr_is_terminal) : "yes");
    libraries.push_back(openmp);
    preload(libraries, image);
    ask_for_injection(library, libraries);
    if (hands_on)
        hand_on_variables(program);
    execute(program);
}

}  // namespace

void add_run_command(const Command& app, std::vector<std::string>& program) {
    const Command command = app.add_subcommand("run", "Run a program and write its profile");
    command.usage({"[OPTIONS] -- PROGRAM [ARGUMENTS]"});
    command.prefix_command();
    auto arguments = std::make_shared<RunArguments>();
    command.add_option("--config", arguments->config, "Configuration file (JSON)")
        .type_name("FILE");
    command
        .add_option("--output-directory", arguments->output_directory,
                    "Directory for all files (default: the current one), or @auto or "
                    "DIR/@auto: a new directory for each run")
        .type_name("DIR");
    command
        .add_option("--option", arguments->options,
                    "Set an option, such as profile_table.show_callpath=true; may be repeated")
        .type_name("KEY=VALUE")
        .one_value();
    command
        .add_option("--parameter", arguments->parameters,
                    "A parameter of the run, which its profile shows: NAME=NUMBER, or "
                    "NAME=argv[K], the program's argument K; may be repeated")
        .type_name("NAME=VALUE")
        .one_value();
    command
        .add_option(
            "--mpi", arguments->library.mpi,
            "Whether to load the library that records MPI calls (default: auto, detected from "
            "the program's libraries)")
        .type_name("WHEN")
        .one_of({"auto", "yes", "no"});
    command
        .add_option(
            "--openmp", arguments->openmp,
            "How to record OpenMP. auto (default): from the program's own OpenMP library; llvm: "
            "run a program built with GCC on LLVM's library, which reports more; no: not at all")
        .type_name("auto|llvm|llvm:FILE|no");
    command
        .add_flag(fmt::format("--sample{{{}}}", rate_by_cost), arguments->sample,
                  "Sample the call stacks of a program that was not compiled for profiling, HZ "
                  "times per second of processor time: --sample=HZ; without HZ, 1000 times, or "
                  "fewer (at least 100) if that would cost more than 1 % of the time")
        .type_name("[=HZ]");
    command.add_flag("--trace", arguments->trace,
                     "Also write a trace of every rank (NAME_0.vfd), as sampling.active does");
    command.add_flag("--waiting", arguments->waiting,
                     "Record what threads wait for, and where, as waiting.active=on does (see "
                     "vftrace report --waiting)");
    command.add_flag("--memory", arguments->memory,
                     "Record which call paths allocate memory, and what they still have, as "
                     "memory.profile=sampled does (see vftrace report --memory)");
    command.add_flag("--io", arguments->io,
                     "Record which call paths open, read and write which files, as io.active=yes "
                     "does (see vftrace report --files)");
    command
        .add_option("--watchdog", arguments->watchdog,
                    "Write a roll call of the ranks when no rank has made progress for this long, "
                    "as watchdog.after does")
        .check(NumberCheck{"a number of seconds", 0.1, 1e9})
        .type_name("SECONDS");
    command
        .add_option("--watchdog-signal", arguments->watchdog_signal,
                    "Signal that each rank then sends to itself, such as ABRT (default: none)")
        .one_of({"none", "ABRT", "TERM", "INT", "USR1", "USR2", "KILL"})
        .type_name("NAME");
    command.add_flag("--report", arguments->report,
                     "Print the report of the profile on stderr when the program has ended");
    command
        .add_option("--library", arguments->library.named,
                    "libvftrace.so to use (default: $VFTRACE_LIBRARY, otherwise the installed one)")
        .type_name("FILE");
    command.callback([command, arguments, &program] {
        std::vector<std::string> words = command.remaining();
        if (!words.empty() && words[0].starts_with('-'))
            throw command.unknown_option(words[0].substr(0, words[0].find('=')));
        // The "--" only ends our options; after the name of the program it is an argument of the
        // program.
        const bool is_ours = words.empty() && !program.empty();
        words.insert(words.end(), program.begin() + (is_ours ? 1 : 0), program.end());
        run(*arguments, words);
    });
}

}  // namespace vftrace::tools
