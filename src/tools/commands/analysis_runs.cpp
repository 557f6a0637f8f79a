#include "commands/analysis_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "commands/foreign_text.hpp"
#include "commands/program_file.hpp"
#include "commands/run_launcher.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/merge_analyses.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".parameters.json";

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "vftrace-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw CommandError(fmt::format("{}: {}", pattern, std::strerror(errno)));
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

// Returns the exit status as a shell reports it.
int run_once(const std::vector<std::string>& command, bool show_output) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command)
        argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to it
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!show_output)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        throw CommandError(fmt::format("{}: {}", command[0], std::strerror(error)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int of_signals = 128;
    return WIFSIGNALED(status) ? of_signals + WTERMSIG(status) : WEXITSTATUS(status);
}

// The results of all ranks. Removes the files.
ParameterAnalysis take_results(const fs::path& folder, const std::string& program) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().string().ends_with(suffix))
            files.push_back(entry.path().string());
    if (files.empty())
        throw CommandError(
            fmt::format("{} did not write an analysis: build it with vftrace-taint-cc", program));
    std::sort(files.begin(), files.end());
    std::vector<ParameterAnalysis> analyses;
    for (const std::string& file : files) {
        analyses.push_back(read_parameter_analysis(file));
        fs::remove(file);
    }
    return merge_analyses(analyses);
}

}  // namespace

AnalysisRuns run_analysis(std::vector<std::string> command) {
    const TemporaryFolder folder;
    set_environment_variable("VFTR_OUTPUT_DIRECTORY", folder.path().string());
    set_environment_variable("VFTR_TAINT_HISTORY", (folder.path() / "history").string());
    set_environment_variable("VFTR_TAINT_QUIET", "yes");
    if (is_open_mpi_launcher(find_program(command[0])))
        hand_on_variables(command);
    const std::string program = command[0];

    AnalysisRuns runs;
    runs.program_status = run_once(command, true);
    runs.analysis = take_results(folder.path(), program);
    while (!runs.analysis.more_parameters.empty()) {
        const std::size_t before = runs.analysis.more_parameters.size();
        remark(fmt::format("running {} again for the parameter{} {}", program, plural_s(before),
                           joined(runs.analysis.more_parameters, ", ")));
        if (const int status = run_once(command, false); status != runs.program_status)
            throw CommandError(fmt::format(
                "{} ended with status {} when it was run again, but with {} the first time",
                program, status, runs.program_status));
        runs.analysis = take_results(folder.path(), program);
        if (runs.analysis.more_parameters.size() >= before)
            break;  // further runs would not help
    }
    return runs;
}

}  // namespace vftrace::tools
