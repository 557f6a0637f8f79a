// vftrace run: starts a program with the library preloaded and the configuration in its
// environment. The program replaces this process, so its process id, signals and exit status are
// what they would be without us.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "config/options.hpp"
#include "tools/commands.hpp"
#include "tools/environment_variable.hpp"
#include "tools/openmp_library.hpp"
#include "tools/program_file.hpp"
#include "tools/run_launcher.hpp"
#include "tools/run_library.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

// As shells do.
constexpr int status_not_found = 127;
constexpr int status_not_executable = 126;

struct RunArguments {
    std::string config;
    std::string output_directory;
    std::vector<std::string> options;
    LibraryRequest library;
    std::string openmp = "auto";
    std::string sample;  // samples a second; empty: none
};

void set_option(const std::string& text) {
    const std::size_t equal_sign = text.find('=');
    if (equal_sign == std::string::npos)
        throw CommandError(fmt::format("--option {}: must be of the form key=value", text));
    const std::string key = text.substr(0, equal_sign);
    for (const OptionRow& row : option_table)
        if (row.path == key)
            return set_environment_variable(environment_name(key), text.substr(equal_sign + 1));
    throw CommandError(fmt::format("--option {}: there is no option \"{}\" (vftrace config doc "
                                   "lists them)",
                                   text, key));
}

// Paths become absolute: the program may change its directory before it reads them.
void set_environment(const RunArguments& arguments) {
    if (!arguments.config.empty()) {
        if (access(arguments.config.c_str(), R_OK) != 0)
            throw CommandError(fmt::format("{}: {}", arguments.config, std::strerror(errno)));
        set_environment_variable("VFTR_CONFIG", fs::absolute(arguments.config).string());
    }
    for (const std::string& option : arguments.options)
        set_option(option);
    double frequency = 0;
    if (!arguments.sample.empty() &&
        (!CLI::detail::lexical_cast(arguments.sample, frequency) || !(frequency > 0)))
        throw CommandError(fmt::format("--sample={}: must be a number of samples a second, above 0",
                                       arguments.sample));
    if (frequency > 0)
        set_environment_variable(environment_name("stack_sampling.frequency"), arguments.sample);
    if (!arguments.output_directory.empty()) {
        if (!fs::is_directory(arguments.output_directory))
            throw CommandError(
                fmt::format("{}: there is no such directory", arguments.output_directory));
        set_environment_variable(environment_name("output_directory"),
                                 fs::absolute(arguments.output_directory).string());
    }
}

[[noreturn]] void execute(const std::vector<std::string>& program) {
    std::vector<char*> argv;
    for (const std::string& argument : program)
        argv.push_back(const_cast<char*>(argument.c_str()));  // execvp does not write to it
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    const int error = errno;
    throw CommandError(fmt::format("{}: {}", program[0], std::strerror(error)),
                       error == ENOENT ? status_not_found : status_not_executable);
}

// Of many processes that mpirun starts as `vftrace run`, one speaks.
bool is_first_rank() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const std::string rank = environment_variable(name); !rank.empty())
            return rank == "0";
    return true;
}

[[noreturn]] void run(const RunArguments& arguments, std::vector<std::string> program) {
    if (program.empty())
        throw CommandError("run: which program? (vftrace run [OPTIONS] -- PROGRAM [ARGUMENTS])");
    const std::string path = find_program(program[0]);
    // Nothing that we start ourselves is to be profiled.
    set_environment_variable("LD_PRELOAD", other_preloaded_libraries());
    const LinkedLibraries linked = libraries_of(path);
    const std::string library = choose_library(arguments.library, linked);
    const bool uses_mpi = linked.mpi == MpiUse::certain || arguments.library.mpi == "yes";
    set_environment(arguments);
    if (is_first_rank())
        for (const std::string& reason :
             reasons_for_poor_profile(path, uses_mpi, !arguments.sample.empty()))
            fmt::print(stderr, "vftrace: {}\n", reason);
    const std::string openmp = openmp_library_to_preload(arguments.openmp, path);
    const bool hands_on = is_open_mpi_launcher(path);
    preload(library, openmp);
    ask_for_injection(library);
    if (hands_on)
        hand_on_variables(program);
    execute(program);
}

}  // namespace

void add_run_command(CLI::App& app, std::vector<std::string>& program) {
    CLI::App* command = app.add_subcommand("run", "Run a program and profile it");
    command->footer("The program and its arguments follow after \"--\":\n"
                    "  vftrace run [OPTIONS] -- PROGRAM [ARGUMENTS]");
    command->prefix_command();
    auto arguments = std::make_shared<RunArguments>();
    command->add_option("--config", arguments->config, "Configuration file (JSON)")
        ->type_name("FILE");
    command
        ->add_option("--output-directory", arguments->output_directory,
                     "Existing directory for all files (default: the current one)")
        ->type_name("DIR");
    command
        ->add_option(
            "--option", arguments->options,
            "One option as key=value, such as profile_table.show_callpath=true; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--mpi", arguments->library.mpi,
                     "Whether the program uses MPI (default: auto, found out from its libraries)")
        ->type_name("auto|yes|no")
        ->check(CLI::IsMember({"auto", "yes", "no"}));
    command
        ->add_option(
            "--openmp", arguments->openmp,
            "How to follow OpenMP (default: auto, in the program's own OpenMP library); llvm "
            "runs a program made by GCC on LLVM's library, which tells more; no: not at all")
        ->type_name("auto|llvm|llvm:FILE|no");
    command
        ->add_flag("--sample{1000}", arguments->sample,
                   "Sample the call stacks, HZ times a second of processor time, of a program that "
                   "was not compiled for profiling: --sample=HZ; without HZ 1000 times")
        ->type_name("[=HZ]");
    command
        ->add_option("--library", arguments->library.named,
                     "libvftrace.so to use (default: $VFTRACE_LIBRARY, else the installed one)")
        ->type_name("FILE");
    command->callback([command, arguments, &program] {
        std::vector<std::string> words = command->remaining();
        if (!words.empty() && words[0].starts_with('-'))
            throw CommandError(fmt::format("run: there is no option {}", words[0]));
        // The "--" ends our options only; behind the name of the program it is an argument of it.
        const bool is_ours = words.empty() && !program.empty();
        words.insert(words.end(), program.begin() + (is_ours ? 1 : 0), program.end());
        run(*arguments, words);
    });
}

}  // namespace vftrace::tools
