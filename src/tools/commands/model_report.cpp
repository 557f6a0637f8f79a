// Reads the profiles of several runs, finds models and prints them: as tables, or as a document
// with everything that a plot needs.
#include "commands/model_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/core.h>

#include "base/message.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "commands/allowed_parameters.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/model_json.hpp"
#include "commands/profile_file.hpp"
#include "export/export_format.hpp"
#include "export/table_formats.hpp"
#include "model/parameter_choice.hpp"
#include "model/path_models.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

std::vector<RunParameter> values_of(const std::vector<std::string>& texts, const char* option) {
    std::vector<RunParameter> result;
    for (const std::string& text : texts)
        for (const std::string_view word : split(text, ',')) {
            const std::size_t equals = std::min(word.find('='), word.size());
            const std::string_view number = word.substr(std::min(equals + 1, word.size()));
            RunParameter parameter{std::string(word.substr(0, equals)), 0};
            const auto [end, error] =
                std::from_chars(number.data(), number.data() + number.size(), parameter.value);
            if (equals == 0 || number.empty() || error != std::errc() ||
                end != number.data() + number.size() || !std::isfinite(parameter.value))
                throw UsageError(fmt::format("{} {}: \"{}\" is not of the form NAME=NUMBER", option,
                                             text, word));
            if (add_parameter(result, parameter))
                throw UsageError(fmt::format("{}: {} is given twice", option, parameter.name));
        }
    return result;
}

// The values given with --parameter, one for each file that is kept.
std::vector<ParameterWishes::Given> given_values(const ModelArguments& arguments,
                                                 const std::vector<std::size_t>& kept) {
    std::vector<ParameterWishes::Given> result;
    for (const std::string& text : arguments.parameters) {
        const ExportParameter given = parse_export_parameter(text);
        const std::size_t values = given.values.size();
        if (values != 1 && values != arguments.files.size())
            throw UsageError(fmt::format("--parameter {} has {} values for {} files", given.name,
                                         values, arguments.files.size()));
        ParameterWishes::Given& of_runs = result.emplace_back();
        of_runs.name = given.name;
        for (const std::size_t file : kept)
            of_runs.values.push_back(given.values[values == 1 ? 0 : file]);
        for (const ParameterWishes::Given& other : result)
            if (&other != &of_runs && other.name == given.name)
                throw UsageError(fmt::format("--parameter {} is given twice", given.name));
    }
    return result;
}

ModelOrder order_of(const std::string& word) {
    constexpr std::pair<std::string_view, ModelOrder> orders[] = {
        {"growth", ModelOrder::growth},
        {"factor", ModelOrder::factor},
        {"predicted", ModelOrder::predicted},
        {"measured", ModelOrder::measured},
        {"order", ModelOrder::order}};
    return std::find_if(std::begin(orders), std::end(orders),
                        [&](const auto& order) { return order.first == word; })
        ->second;
}

// Reads each run once. Returns the indices of the files that were taken.
std::vector<std::size_t> read_runs(const ModelArguments& arguments, RunTable& table,
                                   std::vector<std::string>& notes) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < arguments.files.size(); i++) {
        const std::string& file = arguments.files[i];
        const Profile profile = read_profile(file);
        if (const RunTable::Run* same = table.find(profile)) {
            notes.push_back(
                same->file == file
                    ? fmt::format("{} is given twice; it is used once.", file)
                    : fmt::format("{} and {} are from the same run; only the first is used.",
                                  same->file, file));
            continue;
        }
        table.add(profile, file, arguments.any_build);
        kept.push_back(i);
    }
    return kept;
}

std::string point_text(const std::vector<std::string>& names, const std::vector<double>& values) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += fmt::format("{}{} = {:g}", i == 0 ? "" : ", ", names[i], values[i]);
    return text;
}

void add_notes(const RunTable& table, const ParameterChoice& choice,
               std::vector<std::string>& notes) {
    if (!choice.constant.empty())
        notes.push_back(fmt::format("The same in all runs: {}.", text_of(choice.constant)));
    for (std::size_t i = 0; i < choice.names.size(); i++)
        if (choice.different_values[i] < wanted_values)
            notes.push_back(fmt::format("{} has {} values: few for a model; {} or more make it "
                                        "reliable.",
                                        choice.names[i], choice.different_values[i],
                                        wanted_values));
    for (const std::string& far : choice.far)
        notes.push_back(fmt::format("The prediction is far from the measured values: {}.", far));
    const std::vector<RunTable::Run>& runs = table.runs();
    const auto [least, most] = std::minmax_element(
        runs.begin(), runs.end(),
        [](const RunTable::Run& a, const RunTable::Run& b) { return a.threads < b.threads; });
    if (least->threads != most->threads)
        notes.push_back(fmt::format("The numbers of threads differ, {} to {}; times are sums over "
                                    "threads.",
                                    least->threads, most->threads));
    for (const RunTable::Run& run : runs)
        if (!run.ended.empty())
            notes.push_back(fmt::format("{} {}: its times end there.", run.file, run.ended));
    if (const std::vector<std::string> filtered = table.filtered_in_some(); !filtered.empty())
        notes.push_back(fmt::format(
            "{} function{} lost {} hooks in some of the runs, in which {} time is part of that of "
            "the callers ({}{}); see vftrace filter.",
            filtered.size(), plural_s(filtered.size()), filtered.size() == 1 ? "its" : "their",
            filtered.size() == 1 ? "its" : "their", filtered.front(),
            filtered.size() == 1 ? "" : ", ..."));
}

// Enough decimals that small figures do not all become zero.
int decimals_for(double largest) {
    return largest < 0.1 ? 6 : largest < 10 ? 4 : largest < 1000 ? 3 : 1;
}

std::string note_of(const PathModel& model, std::size_t in_runs, std::size_t runs) {
    std::string note = model.is_noisy() ? "noisy" : "";
    if (in_runs < runs)
        note += fmt::format("{}in {} of {} runs", note.empty() ? "" : ", ", in_runs, runs);
    return note;
}

void fill_figures(const PathModel& model, double factor, TableRow& row) {
    row.number(model.largest);
    row.number(model.predicted);
    row.number(model.at_least);
    row.number(model.at_most);
    std::isfinite(factor) ? row.number(factor) : row.blank();
    std::isnan(model.adjusted_r2) ? row.blank() : row.number(model.adjusted_r2);
    row.number(model.smape);
}

void print_metric(const ModelReport& report, std::size_t metric, std::size_t limit,
                  TableOutput& out) {
    const RunMetric& what = report.table.metrics()[metric];
    const MetricModels& models = report.models[metric];
    const std::size_t shown = std::min(limit, models.rows.size());
    double largest = models.program ? models.program->predicted : 0;
    for (std::size_t i = 0; i < shown; i++)
        largest = std::max({largest, models.rows[i].model.predicted, models.rows[i].model.largest});
    const int decimals = decimals_for(largest);
    const auto with_unit = [&](const char* text) {
        return what.unit.empty() ? std::string(text) : fmt::format("{}[{}]", text, what.unit);
    };
    const std::string measured = with_unit("largest"), predicted = with_unit("predicted"),
                      from = with_unit("from"), to = with_unit("to");
    const Column columns[] = {number_column("at_largest", measured, what.unit, decimals),
                              number_column("predicted", predicted, what.unit, decimals),
                              number_column("predicted_from", from, what.unit, decimals),
                              number_column("predicted_to", to, what.unit, decimals),
                              number_column("factor", "factor", "", 2),
                              number_column("adjusted_r2", "adj. R2", "", 4),
                              percent_column("smape", "SMAPE[%]"),
                              for_scripts(percent_column("noise", "noise[%]")),
                              text_column("note", "Note", Align::left),
                              text_column("model", "Model", Align::left),
                              for_scripts(text_column("order", "order", Align::left)),
                              text_column("callpath", "Call path", Align::left)};
    const std::string id = "model_" + what.id;
    const std::string title =
        fmt::format("\n{}, mean over ranks: {} call path{}", printable(what.title),
                    models.rows.size(), plural_s(models.rows.size()));
    const TableSpec spec = {.id = id, .title = title, .row = "path", .columns = columns};
    const std::size_t first = models.program ? 1 : 0;
    out.table(spec, first + shown, [&](std::size_t i, TableRow& row) {
        const bool is_program = i < first;
        const PathModel& model = is_program ? *models.program : models.rows[i - first].model;
        const std::size_t in_runs =
            is_program ? report.table.runs().size() : models.rows[i - first].runs;
        fill_figures(model, PathModelRow{no_index, 0, model}.factor(), row);
        row.number(100 * model.noise);
        row.text(note_of(model, in_runs, report.table.runs().size()));
        row.text(formula(model.model, report.choice.names));
        row.text(growth_order(model.model, report.choice.names));
        row.text(is_program ? fmt::format("(whole program: {})", what.of_program)
                            : report.table.paths()[models.rows[i - first].path].text);
    });
    const auto say = [&](std::size_t rows, const std::string& why) {
        if (rows > 0)
            out.write(fmt::format("({} {}{})\n", rows, why.starts_with("more") ? "" : "call path",
                                  why.starts_with("more") ? why : (rows == 1 ? " " : "s ") + why));
    };
    say(models.rows.size() - shown, models.rows.size() - shown == 1 ? "more row" : "more rows");
    say(models.below_share, fmt::format("with less than {:g} % of the whole program in all runs",
                                        report.min_share_percent));
    say(models.in_too_few_runs, "in too few runs for a model");
}

void print_head(const ModelReport& report, OutputFile& out) {
    const std::vector<RunTable::Run>& runs = report.table.runs();
    out.write(shown("{} runs of {}\n", runs.size(), runs.front().application));
    for (std::size_t i = 0; i < report.choice.names.size(); i++) {
        std::vector<double> values;
        for (const std::vector<double>& run : report.choice.values)
            values.push_back(run[i]);
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        std::vector<std::string> numbers;
        for (const double value : values)
            numbers.push_back(fmt::format("{:g}", value));
        out.write(shown("  {}: {}\n", report.choice.names[i], joined(numbers, ", ")));
    }
    out.write(shown("Largest:   {}\nPredicted: {}{}\n",
                    point_text(report.choice.names, report.modeller.largest()),
                    point_text(report.choice.names, report.choice.target),
                    report.choice.is_default_target ? " (twice the largest values)" : ""));
    for (const std::string& note : report.notes)
        out.write(shown("Note: {}\n", note));
}

void print_tables(const ModelReport& report, std::size_t limit, TableOutput& out) {
    for (std::size_t metric = 0; metric < report.models.size(); metric++)
        print_metric(report, metric, limit, out);
}

std::unique_ptr<AnalysedParameters> read_analysis(const ModelArguments& arguments,
                                                  const ParameterChoice& choice,
                                                  std::vector<std::string>& notes) {
    if (arguments.analysis.empty())
        return nullptr;
    auto analysed = std::make_unique<AnalysedParameters>(arguments.analysis, choice.names);
    const std::vector<std::string> free = analysed->not_followed();
    if (free.size() == choice.names.size())
        throw CommandError(fmt::format("{} does not cover any of the parameters {}",
                                       arguments.analysis, joined(choice.names, ", ")));
    if (!free.empty())
        notes.push_back(
            fmt::format("The analysis did not cover {}, which may therefore appear in any model.",
                        joined(free, ", ")));
    return analysed;
}

}  // namespace

void print_models(const ModelArguments& arguments) {
    std::vector<std::string> metrics = arguments.metrics;
    if (metrics.empty())
        metrics = {"time_excl", "time_incl"};
    std::sort(metrics.begin(), metrics.end());
    if (const auto twice = std::adjacent_find(metrics.begin(), metrics.end());
        twice != metrics.end())
        throw UsageError(fmt::format("--metric {} is given twice", *twice));
    ParameterWishes wishes;
    wishes.where = values_of(arguments.where, "--where");
    wishes.predict = values_of(arguments.predict, "--predict");
    wishes.without = arguments.without;

    std::vector<std::string> notes;
    RunTable table(arguments.metrics.empty() ? metrics : arguments.metrics);
    const std::vector<std::size_t> kept = read_runs(arguments, table, notes);
    table.check_metrics();
    wishes.given = given_values(arguments, kept);
    ParameterChoice choice = choose_parameters(table.runs(), wishes);
    table.keep_runs(choice.runs);
    add_notes(table, choice, notes);

    const Modeller modeller(choice.names, choice.values, choice.target);
    const auto analysed = read_analysis(arguments, choice, notes);
    std::vector<MetricModels> models;
    for (std::size_t metric = 0; metric < table.metrics().size(); metric++) {
        const bool with_callees = table.metrics()[metric].id == "time_incl";
        models.push_back(model_paths(table, metric, modeller, arguments.min_share_percent / 100,
                                     order_of(arguments.sort), [&](std::uint32_t path) {
                                         return analysed
                                                    ? analysed->of_path(table, path, with_callees)
                                                    : AllowedParameters::all(choice.names.size());
                                     }));
    }
    const ModelReport report{table, choice, modeller, models, notes, arguments.min_share_percent};
    const std::size_t limit = arguments.limit.value_or(
        arguments.format == "text" ? usual_models : std::numeric_limits<std::size_t>::max());

    OutputFile out(STDOUT_FILENO);
    if (arguments.format == "json") {
        write_models_json(report, limit, out);
    } else if (arguments.format == "csv") {
        CsvTables tables(out);
        print_tables(report, limit, tables);
        for (const std::string& note : notes)
            message("%s", note.c_str());
    } else {
        out.leave_out_trailing_blanks();
        print_head(report, out);
        TextTables tables(out);
        print_tables(report, limit, tables);
    }
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
}

}  // namespace vftrace::tools
