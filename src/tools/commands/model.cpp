// vftrace model: how call paths and the whole program grow with parameters, from several runs.
#include <memory>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/model_report.hpp"

namespace vftrace::tools {
namespace {

constexpr NumberCheck percent{"a percentage from 0 to 100", 0, 100};

constexpr const char* examples = R"(Examples:
  for n in 100 200 400 800 1600; do
      vftrace run --parameter n=$n --output-directory n$n -- ./heat $n
  done
  vftrace model n*/heat_all.json
  vftrace model --predict n=1e5 --metric time_incl n*/heat_all.json
  vftrace model --parameters heat.parameters.json n*/heat_all.json
  vftrace model --tree --metric time_incl n*/heat_all.json
  vftrace model new/n*/heat_all.json --before old/n*/heat_all.json
  vftrace model measurements.extrap.json
  vftrace model --parameter cells=100,200,400 a.json b.json c.json)";

}  // namespace

void add_model_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("model", "Model how times grow with parameters, from several runs");
    auto arguments = std::make_shared<ModelArguments>();
    command
        .add_option(
            "FILE", arguments->files,
            "Profiles (JSON) of runs at different values of the parameters, or one file with "
            "measurements in a format of Extra-P")
        .required()
        .type_name("");
    const auto repeatable = [&](const char* name, std::vector<std::string>& values,
                                const char* type, const std::string& help) {
        return command.add_option(name, values, help).one_value().type_name(type);
    };
    repeatable(
        "--parameter", arguments->parameters, "NAME=VALUE[,VALUE]...",
        "The value of a parameter in each file, in the order of the files, or one value for all; "
        "takes precedence over the values in the files");
    repeatable("--predict", arguments->predict, "NAME=VALUE[,NAME=VALUE]...",
               "Point to predict; other parameters stay at their largest measured value "
               "(default: twice the largest values)");
    repeatable("--where", arguments->where, "NAME=VALUE[,NAME=VALUE]...",
               "Use only runs with these values");
    repeatable("--without", arguments->without, "NAME", "Leave a parameter out of the models");
    repeatable("--metric", arguments->metrics, "METRIC",
               "What to model: time_excl, time_incl, time_excl_max (of the rank with the longest), "
               "calls, messages_sent, messages_received, bytes_sent, bytes_received, memory, or a "
               "metric of the profiles (default: time_excl and time_incl)");
    command
        .add_option("--before", arguments->before,
                    "Profiles of runs before a change: show the models of both side by side")
        .type_name("FILE...");
    command.add_flag("--tree", arguments->tree,
                     "Show call paths as a tree, those with the most growth first");
    command
        .add_option("--statistic", arguments->statistic,
                    "What stands for the repetitions of a point")
        .one_of({"mean", "median", "minimum"})
        .type_name("STATISTIC")
        .show_default();
    command.add_option("--max-power", arguments->max_power, "The largest power that models have")
        .one_of({"4", "5"})
        .type_name("POWER")
        .show_default();
    command
        .add_option("--powers", arguments->powers,
                    "Use only these powers, such as 0,1/2,1,2, together with those of --logs")
        .type_name("POWER[,POWER]...");
    command
        .add_option("--logs", arguments->logs,
                    "With --powers: the powers of logarithms (default: 0)")
        .type_name("POWER[,POWER]...");
    command.add_flag("--times-ranks", arguments->times_ranks,
                     "Model the sum over the ranks, and the run time times their number: constant "
                     "if strong scaling is perfect");
    command
        .add_option("--sort", arguments->sort,
                    "Sort by the growth up to the predicted point, as a difference or as a "
                    "factor, by the predicted or measured value, or by the order of growth")
        .one_of({"growth", "factor", "predicted", "measured", "order"})
        .type_name("COLUMN")
        .show_default();
    command
        .add_option("--min-share", arguments->min_share_percent,
                    "Leave out call paths with a smaller share of the whole program in all runs")
        .check(percent)
        .type_name("PERCENT")
        .show_default();
    command
        .add_option(
            "--limit", arguments->limit,
            fmt::format(
                "Print only this number of rows of each table (default: {} as text, otherwise all)",
                usual_models))
        .check(number_of_rows)
        .type_name("ROWS");
    command
        .add_option("--parameters", arguments->analysis,
                    "An analysis of the program (*.parameters.json): models contain only the "
                    "parameters that have an effect according to it")
        .type_name("FILE");
    command.add_flag("--any-build", arguments->any_build,
                     "Accept runs of different builds of the program");
    command.add_option("--format", arguments->format, "Format of the models")
        .one_of({"text", "csv", "json"})
        .type_name("FORMAT")
        .show_default();
    command.footer(examples);
    command.callback([arguments, &status] {
        print_models(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
