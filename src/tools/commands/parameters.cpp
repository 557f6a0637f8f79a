// vftrace parameters: which parameters decide how often a program's loops run.
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/file_name.hpp"
#include "base/output_file.hpp"
#include "commands/analysis_runs.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/run_options.hpp"
#include "commands/table_printing.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/analysis_writer.hpp"
#include "dependences/merge_analyses.hpp"
#include "dependences/parameter_tables.hpp"

namespace vftrace::tools {
namespace {

struct ParametersArguments {
    std::vector<std::string> files;
    bool run = false;
    std::string output;  // empty: none, but a default name with `run`
    bool compatible = false;
    std::string format = "text";
    std::vector<std::string> tables;
    std::vector<std::string> parameters;  // NAME=argv[K], with run
    bool full_names = false;

    std::size_t longest_name() const {
        constexpr std::size_t usual = 48;
        return full_names || format != "text" ? std::string::npos : usual;
    }
};

ParameterAnalysis read_all(const ParametersArguments& arguments) {
    std::vector<ParameterAnalysis> analyses;
    for (const std::string& file : arguments.files)
        analyses.push_back(read_parameter_analysis(file));
    for (std::size_t i = 1; i < analyses.size(); i++)
        if (analyses[i].application != analyses[0].application)
            throw CommandError(fmt::format("{} is an analysis of {}, {} of {}", arguments.files[0],
                                           analyses[0].application, arguments.files[i],
                                           analyses[i].application));
    return merge_analyses(analyses);
}

void write_file(const ParameterAnalysis& analysis, bool compatible, const std::string& path) {
    OutputFile out(path);
    write_parameter_analysis(analysis, compatible, out);
    out.write("\n");
    if (const int error = out.close())
        throw CommandError(fmt::format("{}: {}", path, std::strerror(error)));
}

void print(const ParametersArguments& arguments, const ParameterAnalysis& analysis) {
    const auto write = [&](TableOutput& tables) {
        print_parameters(analysis, arguments.longest_name(), tables);
    };
    print_in_format(arguments.format, STDOUT_FILENO, [&](OutputFile&, TableOutput& tables) {
        if (arguments.tables.empty())
            write(tables);
        else
            write_tables_named(arguments.tables, "analysis", write, tables);
    });
}

int parameters(ParametersArguments arguments, const std::vector<std::string>& program) {
    if (arguments.run != (program.size() > 1))
        throw UsageError(arguments.run ? "parameters --run: no program given; write it after \"--\""
                                       : "parameters: a program after \"--\" needs --run");
    if (arguments.run != arguments.files.empty())
        throw UsageError(arguments.run ? "parameters: files cannot be used with --run"
                                       : "parameters: no file given");
    if (!arguments.run && !arguments.parameters.empty())
        throw UsageError("parameters: --parameter needs --run");
    if (!arguments.run) {
        const ParameterAnalysis analysis = read_all(arguments);
        if (!arguments.output.empty())
            write_file(analysis, arguments.compatible, arguments.output);
        print(arguments, analysis);
        return status_ok;
    }
    add_parameters(arguments.parameters);
    const AnalysisRuns runs = run_analysis({program.begin() + 1, program.end()});
    if (arguments.output.empty())
        arguments.output =
            safe_file_name(runs.analysis.application, "program") + ".parameters.json";
    write_file(runs.analysis, arguments.compatible, arguments.output);
    remark(fmt::format("the analysis is in {}", arguments.output));
    print(arguments, runs.analysis);
    return runs.program_status;
}

constexpr const char* examples = R"text(Examples:
  vftrace-taint-c++ -o solver.analysis solver.cpp   build the program for the analysis
  vftrace parameters --run -- ./solver.analysis 100
  vftrace parameters --run --parameter n=argv[1] -- ./solver.analysis 100
  vftrace parameters --run -- mpirun -n 2 ./solver.analysis 100
  vftrace parameters solver_0.parameters.json solver_1.parameters.json
  vftrace parameters --table parameter_loops --format csv solver.parameters.json
  vftrace filter --parameters solver.parameters.json -f json -o vftrace.json
  vftrace model --parameters solver.parameters.json run*/solver_all.json)text";

}  // namespace

void add_parameters_command(const Command& app, int& status, std::vector<std::string>& program) {
    const Command command =
        app.add_subcommand("parameters", "Show which parameters the loops of a program depend on");
    auto arguments = std::make_shared<ParametersArguments>();
    command
        .add_option("FILE", arguments->files,
                    "Results of an analysis (*.parameters.json), such as those of all ranks")
        .type_name("");
    command.add_flag(
        "--run", arguments->run,
        "Run the program after \"--\", built with vftrace-taint-cc, as often as needed to follow "
        "all parameters, eight at a time");
    command
        .add_option(
            "--parameter", arguments->parameters,
            "With --run: use argument K of the program as the parameter NAME; may be repeated")
        .one_value()
        .type_name("NAME=argv[K]");
    command
        .add_option("-o,--output", arguments->output,
                    "File for the result (with --run by default PROGRAM.parameters.json)")
        .type_name("FILE");
    command.add_flag("--compatible", arguments->compatible,
                     "Write only the keys of Perf-taint files");
    command.add_option("--format", arguments->format, "Format of the tables")
        .one_of({"text", "csv", "json"})
        .type_name("FORMAT")
        .show_default();
    command
        .add_option("--table", arguments->tables,
                    "Print only the table with this id; may be repeated")
        .one_value()
        .type_name("ID");
    command.add_flag("--full-names", arguments->full_names, "Do not shorten long names");
    command.usage({"[OPTIONS] FILE.parameters.json...", "--run [OPTIONS] -- PROGRAM [ARGUMENTS]"});
    command.footer(examples);
    command.callback([arguments, &status, &program] {
        if (arguments->compatible && arguments->output.empty() && !arguments->run)
            throw UsageError("parameters: --compatible needs --output");
        status = parameters(*arguments, program);
    });
}

}  // namespace vftrace::tools
