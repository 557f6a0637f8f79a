// Prints models: as tables, or as a document with everything that a plot needs.
#include "commands/model_report.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <unistd.h>

#include <fmt/core.h>

#include "base/message.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/model_input.hpp"
#include "commands/model_json.hpp"
#include "commands/model_tables.hpp"
#include "export/table_formats.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

std::string next_text(const ModelSet& set, const NextPoint& next) {
    const RunMetric& what = set.table.metrics().front();
    const std::string cost = next.cost > 0
                                 ? fmt::format(" (about {:.2g} {})", next.cost,
                                               what.unit.empty() ? what.of_program : what.unit)
                                 : "";
    return fmt::format("{}{}: predictions there are uncertain by {:.2g} %",
                       point_text(set.choice.names, next.parameters), cost, 100 * next.doubt);
}

void print_head(const ModelSet& set, OutputFile& out) {
    const std::vector<RunTable::Run>& runs = set.table.runs();
    out.write(shown("{} runs of {}\n", runs.size(), runs.front().application));
    for (std::size_t i = 0; i < set.choice.names.size(); i++) {
        std::vector<double> values;
        for (const std::vector<double>& run : set.choice.values)
            values.push_back(run[i]);
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        std::vector<std::string> numbers;
        for (const double value : values)
            numbers.push_back(fmt::format("{:g}", value));
        out.write(shown("  {}: {}\n", set.choice.names[i], joined(numbers, ", ")));
    }
    out.write(shown("Largest:   {}\nPredicted: {}{}\n",
                    point_text(set.choice.names, set.modeller->largest()),
                    point_text(set.choice.names, set.choice.target),
                    set.choice.is_default_target ? " (twice the largest values)" : ""));
    for (const std::string& note : set.notes)
        out.write(shown("Note: {}\n", note));
    // Notes are for what is wrong with the runs; this is only a wish.
    if (std::set(set.choice.values.begin(), set.choice.values.end()).size() ==
        set.choice.values.size())
        out.write("Measure next: each point again: only repetitions show how noisy runs are\n");
    for (const NextPoint& next : set.next)
        out.write(shown("Measure next: {}\n", next_text(set, next)));
}

void check_comparable(const ModelArguments& arguments, const ModelSet& before,
                      const ModelSet& after) {
    if (before.choice.names != after.choice.names)
        throw CommandError(fmt::format("--before: the parameters of {} are {}, those of {} are {}",
                                       arguments.before.front(), joined(before.choice.names, ", "),
                                       arguments.files.front(), joined(after.choice.names, ", ")));
    for (std::size_t i = 0; i < after.table.metrics().size(); i++)
        if (before.table.metrics().size() <= i ||
            before.table.metrics()[i].id != after.table.metrics()[i].id)
            throw CommandError(fmt::format("--before: {} and {} have different metrics",
                                           arguments.before.front(), arguments.files.front()));
}

void print_notes_of_csv(const std::vector<std::string>& notes) {
    for (const std::string& note : notes)
        message("%s", note.c_str());
}

}  // namespace

void print_models(const ModelArguments& arguments) {
    std::vector<std::string> metrics = arguments.metrics;
    std::sort(metrics.begin(), metrics.end());
    if (const auto twice = std::adjacent_find(metrics.begin(), metrics.end());
        twice != metrics.end())
        throw UsageError(fmt::format("--metric {} is given twice", *twice));
    if (!arguments.before.empty() && (arguments.format == "json" || arguments.tree))
        throw UsageError(fmt::format("--before cannot be used with {}",
                                     arguments.tree ? "--tree" : "--format json"));
    const ModelSet set =
        read_models(arguments, arguments.files, point_of(arguments.predict, "--predict"));
    std::optional<ModelSet> before;
    if (!arguments.before.empty()) {
        std::vector<RunParameter> target;
        for (std::size_t i = 0; i < set.choice.names.size(); i++)
            target.push_back({set.choice.names[i], set.choice.target[i]});
        before = read_models(arguments, arguments.before, target);
        check_comparable(arguments, *before, set);
    }
    const std::size_t limit = arguments.limit.value_or(
        arguments.format == "text" ? usual_models : std::numeric_limits<std::size_t>::max());
    const auto print_tables = [&](TableOutput& tables) {
        if (before)
            print_compared_models(*before, set, limit, tables);
        else
            print_model_tables(set, {limit, arguments.tree, arguments.min_share_percent}, tables);
    };

    OutputFile out(STDOUT_FILENO);
    if (arguments.format == "json") {
        write_models_json(set, limit, out);
    } else if (arguments.format == "csv") {
        CsvTables tables(out);
        print_tables(tables);
        if (before)
            print_notes_of_csv(before->notes);
        print_notes_of_csv(set.notes);
    } else {
        out.leave_out_trailing_blanks();
        if (before) {
            out.write("Before: ");
            print_head(*before, out);
            out.write("\nAfter:  ");
        }
        print_head(set, out);
        TextTables tables(out);
        print_tables(tables);
    }
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
}

}  // namespace vftrace::tools
