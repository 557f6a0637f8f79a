#include "commands/model_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/foreign_text.hpp"

namespace vftrace::tools {
namespace {

// Enough decimals that small figures do not all become zero.
int decimals_for(double largest) {
    return largest < 0.1 ? 6 : largest < 10 ? 4 : largest < 1000 ? 3 : 1;
}

std::string note_of(const PathModel& model, std::size_t in_runs, std::size_t runs) {
    std::vector<std::string> notes;
    if (model.finding == GrowthFinding::no_formula)
        notes.emplace_back("no formula");
    if (model.finding == GrowthFinding::unclear)
        notes.emplace_back("growth unclear");
    if (model.finding == GrowthFinding::two_formulas)
        notes.emplace_back("two formulas");
    if (!model.left_out.empty())
        notes.emplace_back("without a point");
    if (model.is_noisy())
        notes.emplace_back("noisy");
    if (in_runs < runs)
        notes.push_back(fmt::format("in {} of {} runs", in_runs, runs));
    return joined(notes, ", ");
}

void number_if_finite(double value, TableRow& row) {
    std::isfinite(value) ? row.number(value) : row.blank();
}

void fill_figures(const PathModel& model, TableRow& row) {
    row.number(model.largest);
    number_if_finite(model.target.value, row);
    row.number(model.target.from);
    number_if_finite(model.target.to, row);
    number_if_finite(PathModelRow{no_index, 0, model}.factor(), row);
    number_if_finite(model.adjusted_r2, row);
    row.number(model.smape);
}

// A row of the table: the whole program, a path with a model, or in a tree a caller without one.
struct Line {
    const PathModel* model = nullptr;
    std::uint32_t path = no_index;
    std::size_t in_runs = 0;
    std::size_t depth = 0;
};

// The paths with models, each below its callers; of several callees the one below which the most
// growth is comes first.
std::vector<Line> tree_of(const RunTable& table, std::span<const PathModelRow> rows) {
    std::map<std::uint32_t, Line> of_path;
    std::map<std::uint32_t, double> most;
    std::map<std::uint32_t, std::vector<std::uint32_t>> callees;  // no_index: outermost
    for (const PathModelRow& row : rows) {
        double growth = row.growth();
        if (!std::isfinite(growth))
            growth = 0;
        for (std::uint32_t path = row.path; path != no_index; path = table.paths()[path].parent) {
            const auto [entry, is_new] = of_path.try_emplace(path, Line{nullptr, path, 0, 0});
            if (is_new) {
                callees[table.paths()[path].parent].push_back(path);
                most[path] = growth;
            }
            most[path] = std::max(most[path], growth);
        }
        of_path[row.path].model = &row.model;
        of_path[row.path].in_runs = row.runs;
    }
    std::vector<Line> lines;
    const auto add = [&](const auto& self, std::uint32_t caller, std::size_t depth) -> void {
        std::vector<std::uint32_t>& paths = callees[caller];
        std::stable_sort(paths.begin(), paths.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return most[a] > most[b]; });
        for (const std::uint32_t path : paths) {
            Line& line = lines.emplace_back(of_path[path]);
            line.depth = depth;
            self(self, path, depth + 1);
        }
    };
    add(add, no_index, 0);
    return lines;
}

std::vector<Line> lines_of(const ModelSet& set, std::size_t metric, std::size_t shown, bool tree) {
    const MetricModels& models = set.models[metric];
    std::vector<Line> lines;
    if (models.program)
        lines.push_back({&*models.program, no_index, set.table.runs().size(), 0});
    const std::span<const PathModelRow> rows = std::span(models.rows).first(shown);
    if (tree) {
        const std::vector<Line> below = tree_of(set.table, rows);
        lines.insert(lines.end(), below.begin(), below.end());
    } else {
        for (const PathModelRow& row : rows)
            lines.push_back({&row.model, row.path, row.runs, 0});
    }
    return lines;
}

std::string name_of(const ModelSet& set, std::size_t metric, const Line& line, bool tree) {
    if (line.path == no_index)
        return fmt::format("(whole program: {})", set.table.metrics()[metric].of_program);
    const RunTable::Path& path = set.table.paths()[line.path];
    return tree ? std::string(2 * line.depth, ' ') + path.function : path.text;
}

void print_metric(const ModelSet& set, std::size_t metric, const ModelTableOptions& options,
                  TableOutput& out) {
    const RunMetric& what = set.table.metrics()[metric];
    const MetricModels& models = set.models[metric];
    const std::size_t shown = std::min(options.limit, models.rows.size());
    const std::vector<Line> lines = lines_of(set, metric, shown, options.tree);
    double largest = 0;
    for (const Line& line : lines)
        if (line.model)
            largest = std::max({largest, line.model->expected(), line.model->largest});
    const int decimals = decimals_for(largest);
    const auto with_unit = [&](const char* text) {
        return what.unit.empty() ? std::string(text) : fmt::format("{}[{}]", text, what.unit);
    };
    const std::string measured = with_unit("largest"), predicted = with_unit("predicted"),
                      from = with_unit("from"), to = with_unit("to");
    const bool has_analysis = !set.analysed[metric].empty();
    std::vector<Column> columns = {number_column("at_largest", measured, what.unit, decimals),
                                   number_column("predicted", predicted, what.unit, decimals),
                                   number_column("predicted_from", from, what.unit, decimals),
                                   number_column("predicted_to", to, what.unit, decimals),
                                   number_column("factor", "factor", "", 2),
                                   number_column("adjusted_r2", "adj. R2", "", 4),
                                   percent_column("smape", "SMAPE[%]"),
                                   for_scripts(percent_column("noise", "noise[%]")),
                                   for_scripts(text_column("finding", "finding", Align::left)),
                                   text_column("note", "Note", Align::left),
                                   text_column("model", "Model", Align::left),
                                   for_scripts(text_column("order", "order", Align::left))};
    if (has_analysis)
        columns.push_back(text_column("analysis", "Analysis", Align::left));
    columns.push_back(text_column("callpath", "Call path", Align::left));
    const std::string id = "model_" + what.id;
    const std::string title =
        fmt::format("\n{}{}: {} call path{}", printable(what.title), what.of_ranks,
                    models.rows.size(), plural_s(models.rows.size()));
    const TableSpec spec = {.id = id, .title = title, .row = "path", .columns = columns};
    out.table(spec, lines.size(), [&](std::size_t i, TableRow& row) {
        const Line& line = lines[i];
        if (line.model) {
            fill_figures(*line.model, row);
            row.number(100 * line.model->noise);
            row.text(finding_id(line.model->finding));
            row.text(note_of(*line.model, line.in_runs, set.table.runs().size()));
            row.text(description(*line.model, set.choice.names));
            row.text(order_text(*line.model, set.choice.names));
        } else {
            for (std::size_t column = has_analysis ? 2 : 1; column < columns.size(); column++)
                row.blank();
        }
        if (has_analysis)
            row.text(line.path == no_index ? "" : set.analysed[metric][line.path]);
        row.text(name_of(set, metric, line, options.tree));
    });
    const auto say = [&](std::size_t rows, const std::string& why) {
        if (rows > 0)
            out.write(fmt::format("({} {}{})\n", rows, why.starts_with("more") ? "" : "call path",
                                  why.starts_with("more") ? why : (rows == 1 ? " " : "s ") + why));
    };
    say(models.rows.size() - shown, models.rows.size() - shown == 1 ? "more row" : "more rows");
    say(models.below_share, fmt::format("with less than {:g} % of the whole program in all runs",
                                        options.min_share_percent));
    say(models.in_too_few_runs, "in too few runs for a model");
    for (const std::string& finding : set.findings[metric])
        out.write(tools::shown("{}\n", finding));
}

// The models of a path in both sets.
struct Pair {
    std::string name;
    const PathModel *before = nullptr, *after = nullptr;

    double expected(const PathModel* model) const { return model ? model->expected() : 0; }
    double change() const { return expected(after) - expected(before); }
};

std::vector<Pair> pairs_of(const ModelSet& before, const ModelSet& after, std::size_t metric) {
    std::map<std::string, Pair> by_name;
    const auto add = [&](const ModelSet& set, const PathModel* Pair::*side) {
        for (const PathModelRow& row : set.models[metric].rows) {
            const std::string& name = set.table.paths()[row.path].text;
            by_name[name].name = name;
            by_name[name].*side = &row.model;
        }
    };
    add(before, &Pair::before);
    add(after, &Pair::after);
    std::vector<Pair> pairs;
    for (const auto& [name, pair] : by_name)
        pairs.push_back(pair);
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    const auto& old_program = before.models[metric].program;
    const auto& new_program = after.models[metric].program;
    if (old_program && new_program)
        pairs.insert(pairs.begin(),
                     {fmt::format("(whole program: {})", after.table.metrics()[metric].of_program),
                      &*old_program, &*new_program});
    return pairs;
}

// Whether the intervals of the predictions do not overlap.
bool is_certain(const Pair& pair) {
    return pair.before && pair.after &&
           (pair.before->target.to < pair.after->target.from ||
            pair.after->target.to < pair.before->target.from);
}

void compare_metric(const ModelSet& before, const ModelSet& after, std::size_t metric,
                    std::size_t limit, TableOutput& out) {
    const RunMetric& what = after.table.metrics()[metric];
    const std::vector<Pair> pairs = pairs_of(before, after, metric);
    double largest = 0;
    for (const Pair& pair : pairs)
        largest = std::max({largest, pair.expected(pair.before), pair.expected(pair.after)});
    const int decimals = decimals_for(largest);
    const std::string unit = what.unit.empty() ? "" : fmt::format("[{}]", what.unit);
    const std::string old_value = "before" + unit, new_value = "after" + unit;
    const Column columns[] = {number_column("predicted_before", old_value, what.unit, decimals),
                              number_column("predicted_after", new_value, what.unit, decimals),
                              number_column("factor", "factor", "", 2),
                              text_column("note", "Note", Align::left),
                              text_column("model_before", "Model before", Align::left),
                              text_column("model_after", "Model after", Align::left),
                              text_column("callpath", "Call path", Align::left)};
    const std::string id = "compared_" + what.id;
    const std::string title =
        fmt::format("\n{}{}, predicted for {}", printable(what.title), what.of_ranks,
                    point_text(after.choice.names, after.choice.target));
    const std::size_t rows = std::min(limit, pairs.size());
    const TableSpec spec = {.id = id, .title = title, .row = "path", .columns = columns};
    out.table(spec, rows, [&](std::size_t i, TableRow& row) {
        const Pair& pair = pairs[i];
        const auto value = [&](const PathModel* model) {
            model ? number_if_finite(model->expected(), row) : row.blank();
        };
        const auto text = [&](const PathModel* model) {
            model ? row.text(description(*model, after.choice.names)) : row.blank();
        };
        value(pair.before);
        value(pair.after);
        pair.before&& pair.after&& pair.before->expected() > 0
            ? number_if_finite(pair.after->expected() / pair.before->expected(), row)
            : row.blank();
        row.text(!pair.before       ? "new"
                 : !pair.after      ? "gone"
                 : is_certain(pair) ? "beyond doubt"
                                    : "");
        text(pair.before);
        text(pair.after);
        row.text(pair.name);
    });
    if (rows < pairs.size())
        out.write(
            fmt::format("({} more row{})\n", pairs.size() - rows, plural_s(pairs.size() - rows)));
}

}  // namespace

std::string point_text(const std::vector<std::string>& names, const std::vector<double>& values) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += fmt::format("{}{} = {:g}", i == 0 ? "" : ", ", names[i], values[i]);
    return text;
}

void print_model_tables(const ModelSet& set, const ModelTableOptions& options, TableOutput& out) {
    for (std::size_t metric = 0; metric < set.models.size(); metric++)
        print_metric(set, metric, options, out);
}

void print_compared_models(const ModelSet& before, const ModelSet& after, std::size_t limit,
                           TableOutput& out) {
    for (std::size_t metric = 0; metric < after.models.size(); metric++)
        compare_metric(before, after, metric, limit, out);
}

}  // namespace vftrace::tools
