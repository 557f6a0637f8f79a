// vftrace annotate: the source lines, loops and instructions of one function, with its samples.
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "code/code_tables.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/report_arguments.hpp"
#include "commands/table_printing.hpp"
#include "commands/terminal.hpp"

namespace vftrace::tools {
namespace {

struct AnnotateArguments {
    std::string function;
    std::string profile, program;  // one of them is given
    bool instructions = false, no_source = false, only_code = false;
    std::string syntax = "att";
    std::vector<std::string> source_map;
    std::string format = "text";
    std::string color{color_auto};
};

AnnotatedFunctions functions_of_program(const AnnotateArguments& arguments, const SourceMap& map,
                                        SourceFiles& sources) {
    CodeReader reader(arguments.program, "", map, sources, 0);
    if (!reader.problem().empty())
        throw CommandError(reader.problem());
    AnnotatedFunctions result;
    for (FunctionCode& code : reader.named(arguments.function))
        result.functions.push_back(reader.annotate(std::move(code)));
    if (!reader.line_problem().empty())
        result.problems.push_back(reader.line_problem());
    return result;
}

void write_function(const AnnotatedFunction& function, double total_ns,
                    const AnnotateArguments& arguments, SourceFiles& sources, TableOutput& out) {
    if (arguments.profile.empty())
        out.print("%s: %zu instructions\n\n", function.display.c_str(),
                  function.instructions.size());
    else
        out.print("%s: %.3f s, %.1f %% of the time, %llu samples, %zu instructions\n\n",
                  function.display.c_str(), function.time.ns / 1e9,
                  total_ns > 0 ? 100 * function.time.ns / total_ns : 0,
                  static_cast<unsigned long long>(function.time.samples),
                  function.instructions.size());
    ReportOptions options;
    options.all_rows = true;
    if (!function.loops.loops.empty())
        write_loop_table({function}, total_ns, options, out);
    if (!arguments.no_source)
        write_annotated_source(function, sources, arguments.only_code, out);
    if (arguments.instructions)
        write_annotated_instructions(
            function, arguments.syntax == "intel" ? Syntax::intel : Syntax::att, out);
}

void annotate(const AnnotateArguments& arguments) {
    if (arguments.profile.empty() == arguments.program.empty())
        throw UsageError("annotate: give a profile, or a program with --program");
    if (!can_decode_instructions())
        throw CommandError(no_decoder);
    const SourceMap map(arguments.source_map);
    AnnotatedFunctions found;
    double total_ns = 0;
    SourceFiles sources;
    if (!arguments.program.empty()) {
        found = functions_of_program(arguments, map, sources);
    } else {
        const Profile profile = read_profile(arguments.profile);
        if (profile.addresses.empty())
            throw CommandError(no_addresses);
        const SampledLines lines(profile, map);
        total_ns = lines.total_ns();
        sources = SourceFiles(profile.run.start_unix_ns);
        found = annotate_functions(profile, lines, map, sources, arguments.function, 0);
        found.problems.insert(found.problems.end(), lines.problems().begin(),
                              lines.problems().end());
    }
    if (found.functions.empty()) {
        std::string problem =
            arguments.profile.empty()
                ? fmt::format("{} does not have a function {}", arguments.program,
                              arguments.function)
                : fmt::format("there are no samples in a function {}", arguments.function);
        if (!found.problems.empty())
            problem += "; " + found.problems.front();
        throw CommandError(problem);
    }
    TextLook look;
    look.names_left = true;
    look.styled = wants_color(arguments.color, STDOUT_FILENO);
    const auto write = [&](OutputFile&, TableOutput& out) {
        for (const AnnotatedFunction& function : found.functions)
            write_function(function, total_ns, arguments, sources, out);
        for (const std::string& file : sources.changed())
            out.write(printable(fmt::format("{} was written after the run: its text is not shown.",
                                            file)) +
                      "\n");
        say_what_lines_are_missing(found.problems, out);
    };
    if (arguments.format == "text" && isatty(STDOUT_FILENO))
        print_in_pager(write, look);
    else
        print_in_format(arguments.format, STDOUT_FILENO, write, look);
}

constexpr const char* examples = R"text(Examples:
  vftrace annotate relax heat_all.json              source lines and loops with their time
  vftrace annotate --instructions relax heat_all.json
  vftrace annotate --program ./heat relax           loops of a function, without a run)text";

}  // namespace

void add_annotate_command(const Command& app, int& status) {
    const Command command = app.add_subcommand(
        "annotate", "Show the source lines, loops and instructions of a function");
    auto arguments = std::make_shared<AnnotateArguments>();
    command.add_option("FUNCTION", arguments->function, "Name as in tables, or symbol")
        .required()
        .type_name("");
    command.add_option("PROFILE", arguments->profile, "Profile of a run, its *_all.json")
        .type_name("");
    command
        .add_option("--program", arguments->program,
                    "Read the code of this program or library instead of a profile")
        .type_name("FILE");
    command.add_flag("--instructions", arguments->instructions, "Show all instructions as well");
    command.add_flag("--no-source", arguments->no_source, "Do not show the source");
    command.add_flag("--only-code", arguments->only_code,
                     "Show only lines that have code, without those between");
    command.add_option("--syntax", arguments->syntax, "How instructions are written")
        .one_of({"att", "intel"})
        .type_name("SYNTAX")
        .show_default();
    command
        .add_option("--source-map", arguments->source_map,
                    "Files below OLD are below NEW here; may be repeated")
        .check(error_in_source_map)
        .one_value()
        .type_name("OLD=NEW");
    command.add_option("--format", arguments->format, "Format of the tables")
        .one_of({"text", "csv", "json"})
        .type_name("FORMAT")
        .show_default();
    command.add_option("--color", arguments->color, "Use colours")
        .one_of({std::string(color_auto), std::string(color_always), std::string(color_never)})
        .type_name("WHEN")
        .show_default();
    command.footer(examples);
    command.callback([arguments, &status] {
        annotate(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
