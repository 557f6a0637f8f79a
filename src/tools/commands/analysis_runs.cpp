#include "commands/analysis_runs.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/child_process.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "commands/foreign_text.hpp"
#include "commands/program_file.hpp"
#include "commands/run_launcher.hpp"
#include "commands/temporary_folder.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/merge_analyses.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".parameters.json";

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
    runs.program_status = run_child(command).status;
    runs.analysis = take_results(folder.path(), program);
    while (!runs.analysis.more_parameters.empty()) {
        const std::size_t before = runs.analysis.more_parameters.size();
        remark(fmt::format("running {} again for the parameter{} {}", program, plural_s(before),
                           joined(runs.analysis.more_parameters, ", ")));
        if (const int status = run_child(command, {no_output, {}}).status;
            status != runs.program_status)
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
