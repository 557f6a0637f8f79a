// vftrace run: starts a program with the library preloaded and the configuration in its
// environment. The program replaces this process, so its process id, signals and exit status are
// what they would be without us.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/options.hpp"
#include "tools/commands.hpp"
#include "tools/program_file.hpp"

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
    std::string library;
};

// The library is looked for where the user says, then beside a vftrace that was not installed yet,
// then where it was installed, then where an installation that was moved has it.
std::string find_library(const std::string& from_option) {
    const char* from_environment = std::getenv("VFTRACE_LIBRARY");
    std::string named = from_option;
    if (named.empty() && from_environment)
        named = from_environment;
    std::error_code error;
    if (!named.empty()) {
        if (!fs::is_regular_file(named, error))
            throw CommandError(fmt::format("{}: there is no such library", named));
        return fs::absolute(named).lexically_normal().string();
    }
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    const auto directories =
        std::to_array<fs::path>({here / ".libs", here.filename() == ".libs" ? here : fs::path(),
                                 fs::path(VFTRACE_LIBDIR), here / ".." / "lib"});
    for (const fs::path& directory : directories) {
        const fs::path library = directory / "libvftrace.so";
        if (!directory.empty() && fs::is_regular_file(library, error))
            return fs::weakly_canonical(directory).append("libvftrace.so").string();
    }
    throw CommandError(fmt::format("libvftrace.so is not in {}: name it with --library",
                                   fs::path(VFTRACE_LIBDIR).string()));
}

void set_variable(const std::string& name, const std::string& value) {
    if (setenv(name.c_str(), value.c_str(), 1) != 0)
        throw CommandError(fmt::format("{}: {}", name, std::strerror(errno)));
}

void preload(const std::string& library) {
    if (library.find_first_of(" :") != std::string::npos)
        throw CommandError(fmt::format("{}: a library whose path has a blank or a colon in it "
                                       "cannot be preloaded",
                                       library));
    const char* others = std::getenv("LD_PRELOAD");
    set_variable("LD_PRELOAD", others && *others ? library + ":" + others : library);
}

void set_option(const std::string& text) {
    const std::size_t equal_sign = text.find('=');
    if (equal_sign == std::string::npos)
        throw CommandError(fmt::format("--option {}: must be of the form key=value", text));
    const std::string key = text.substr(0, equal_sign);
    for (const OptionRow& row : option_table)
        if (row.path == key)
            return set_variable(environment_name(key), text.substr(equal_sign + 1));
    throw CommandError(fmt::format("--option {}: there is no option \"{}\" (vftrace config doc "
                                   "lists them)",
                                   text, key));
}

// Paths become absolute: the program may change its directory before it reads them.
void set_environment(const RunArguments& arguments) {
    if (!arguments.config.empty()) {
        if (access(arguments.config.c_str(), R_OK) != 0)
            throw CommandError(fmt::format("{}: {}", arguments.config, std::strerror(errno)));
        set_variable("VFTR_CONFIG", fs::absolute(arguments.config).string());
    }
    for (const std::string& option : arguments.options)
        set_option(option);
    if (!arguments.output_directory.empty()) {
        if (!fs::is_directory(arguments.output_directory))
            throw CommandError(
                fmt::format("{}: there is no such directory", arguments.output_directory));
        set_variable(environment_name("output_directory"),
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

[[noreturn]] void run(const RunArguments& arguments, const std::vector<std::string>& program) {
    if (program.empty())
        throw CommandError("run: which program? (vftrace run [OPTIONS] -- PROGRAM [ARGUMENTS])");
    const std::string library = find_library(arguments.library);
    set_environment(arguments);
    for (const std::string& reason : reasons_for_empty_profile(find_program(program[0])))
        fmt::print(stderr, "vftrace: {}\n", reason);
    preload(library);  // last: nothing that we start ourselves is to be profiled
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
        ->add_option("--library", arguments->library,
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
