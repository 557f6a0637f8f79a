#include "report/efficiency_tables.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "report/rows.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

std::string_view word_of(Bound bound) {
    constexpr std::string_view words[] = {"", "at least", "at most"};
    return words[static_cast<std::size_t>(bound)];
}

std::string indented(const EfficiencyFigure& figure) {
    return std::string(std::size_t{2} * figure.depth, ' ') + std::string(figure.title);
}

struct Row {
    const RegionEfficiency* region;
    const EfficiencyFigure* figure;
};

std::vector<Row> rows_of(const std::vector<RegionEfficiency>& regions) {
    std::vector<Row> rows;
    for (const RegionEfficiency& region : regions)
        for (const EfficiencyFigure& figure : region.figures)
            rows.push_back({&region, &figure});
    return rows;
}

std::string name_of(const RegionEfficiency& region, const ReportOptions& options) {
    return region.function == no_index
               ? "(the whole run)"
               : shorten_middle(printable(region.region), options.max_name_width);
}

void write_remarks(const std::vector<RegionEfficiency>& regions, const ReportOptions& options,
                   TableOutput& out) {
    for (const RegionEfficiency& region : regions)
        if (!region.remark.empty())
            out.write("Incomplete data for " + name_of(region, options) + ": " +
                      printable(region.remark) + "\n");
}

// The same figure in a run; nullptr if the run does not have it.
const EfficiencyFigure* figure_of(const RegionEfficiency& run, const EfficiencyFigure& figure) {
    return run.find(figure.id);
}

// All figures that at least one of the runs has, each before its factors: a figure that earlier
// runs do not have follows the same figure as in its own run.
std::vector<EfficiencyFigure> united_figures(const std::vector<RegionEfficiency>& runs) {
    std::vector<EfficiencyFigure> all;
    for (const RegionEfficiency& run : runs) {
        std::size_t next = 0;
        for (const EfficiencyFigure& figure : run.figures) {
            const auto known =
                std::find_if(all.begin(), all.end(),
                             [&](const EfficiencyFigure& other) { return other.id == figure.id; });
            if (known != all.end()) {
                next = static_cast<std::size_t>(known - all.begin()) + 1;
                known->depth = std::max(known->depth, figure.depth);
            } else {
                all.insert(all.begin() + static_cast<std::ptrdiff_t>(next++), figure);
            }
        }
    }
    return all;
}

void write_runs(const std::vector<RegionEfficiency>& runs, const std::vector<std::string>& names,
                TableOutput& out) {
    static constexpr Column columns[] = {
        count_column("run", "Run"),           text_column("file", "File", Align::left),
        count_column("ranks", "Ranks"),       count_column("processors", "Processors"),
        time_column("elapsed", "Elapsed[s]"), number_column("speedup", "Speed-up", "", 2)};
    const TableSpec spec = {
        .id = "scaling_runs", .title = "Runs", .row = "run", .columns = columns};
    out.table(spec, runs.size(), [&](std::size_t i, TableRow& row) {
        row.integer(i + 1);
        row.text(printable(names[i]));
        row.integer(runs[i].ranks);
        row.integer(runs[i].processors);
        row.number(seconds(runs[i].elapsed_ns));
        if (runs[i].elapsed_ns > 0)
            row.number(seconds(runs.front().elapsed_ns) / seconds(runs[i].elapsed_ns));
        else
            row.blank();
    });
    out.write("\n");
}

}  // namespace

bool has_efficiencies(const Profile& profile) {
    return profile.ranks.size() > 1 || !profile.parallel_regions.empty() ||
           !profile.gpu_devices.empty();
}

void write_efficiency_table(const Profile& profile, const ReportOptions& options,
                            TableOutput& out) {
    const std::vector<RegionEfficiency> regions = efficiencies(
        profile, options.efficiency_regions ? options.efficiency_regions->c_str() : nullptr);
    const std::vector<Row> rows = rows_of(regions);
    std::vector<Column> columns;
    const bool several = regions.size() > 1;
    const auto add = [&](Column column, bool in_text) {
        columns.push_back(in_text ? column : for_scripts(column));
    };
    add(text_column("region", "Region", Align::left), several);
    add(count_column("ranks", "Ranks"), several);
    add(count_column("processors", "Processors"), several);
    add(time_column("elapsed", "Elapsed[s]"), several);
    add(text_column("efficiency", "Efficiency"), false);
    add(text_column("title", "Efficiency", Align::left), true);
    add(count_column("depth", "Depth"), false);
    add(number_column("value", "Value", "", 3), true);
    add(text_column("bound", "Bound", Align::left),
        std::any_of(rows.begin(), rows.end(),
                    [](const Row& row) { return row.figure->is_bound(); }));
    const TableSpec spec = {
        .id = "efficiency", .title = "Efficiencies", .row = "figure", .columns = columns};
    out.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
        const auto& [region, figure] = rows[i];
        row.text(name_of(*region, options));
        row.integer(region->ranks);
        row.integer(region->processors);
        row.number(seconds(region->elapsed_ns));
        row.text(figure->id);
        row.text(indented(*figure));
        row.integer(figure->depth);
        row.number(figure->value);
        row.text(word_of(figure->bound));
    });
    write_remarks(regions, options, out);
    out.write("\n");
}

void write_scaling_tables(const std::vector<const Profile*>& profiles,
                          const std::vector<std::string>& names, Scaling scaling,
                          TableOutput& out) {
    std::vector<std::uint32_t> order;
    const std::vector<RegionEfficiency> runs = scaling_efficiencies(profiles, scaling, order);
    std::vector<std::string> ordered, ids, headers;
    for (std::size_t i = 0; i < order.size(); i++) {
        ordered.push_back(names[order[i]]);
        ids.push_back(format("run_%zu", i + 1));
        headers.push_back(format("Run %zu", i + 1));
    }
    write_runs(runs, ordered, out);
    const std::vector<EfficiencyFigure> figures = united_figures(runs);
    std::vector<Column> columns = {for_scripts(text_column("efficiency", "Efficiency")),
                                   text_column("title", "Efficiency", Align::left),
                                   for_scripts(count_column("depth", "Depth"))};
    for (std::size_t i = 0; i < runs.size(); i++)
        columns.push_back(number_column(ids[i], headers[i], "", 3));
    columns.push_back(text_column("bound", "Bound", Align::left));
    const TableSpec spec = {.id = "scaling",
                            .title = scaling == Scaling::strong
                                         ? "Efficiencies of runs that do the same work"
                                         : "Efficiencies of runs with the same work per processor",
                            .row = "figure",
                            .columns = columns};
    out.table(spec, figures.size(), [&](std::size_t i, TableRow& row) {
        row.text(figures[i].id);
        row.text(indented(figures[i]));
        row.integer(figures[i].depth);
        for (const RegionEfficiency& run : runs)
            if (const EfficiencyFigure* figure = figure_of(run, figures[i]))
                row.number(figure->value);
            else
                row.blank();
        row.text(word_of(figures[i].bound));
    });
    for (std::size_t i = 0; i < runs.size(); i++)
        if (!runs[i].remark.empty())
            out.print("Incomplete data for run %zu: %s\n", i + 1,
                      printable(runs[i].remark).c_str());
    out.write("\n");
}

void write_efficiencies_json(const Profile& profile, const char* regions, JsonWriter& json) {
    if (!has_efficiencies(profile))
        return;
    json.key("efficiencies").begin_array();
    for (const RegionEfficiency& region : efficiencies(profile, regions)) {
        json.begin_object();
        if (region.function != no_index)
            json.key("function").unsigned_integer(region.function);
        json.key("ranks").unsigned_integer(region.ranks);
        json.key("processors").unsigned_integer(region.processors);
        json.key("elapsed_ns").integer(region.elapsed_ns);
        json.key("figures").begin_array();
        for (const EfficiencyFigure& figure : region.figures) {
            json.begin_object(JsonWriter::Layout::compact);
            json.key("name").string(figure.id);
            json.key("value").number(figure.value);
            json.key("depth").unsigned_integer(figure.depth);
            if (figure.is_bound())
                json.key("bound").string(figure.bound == Bound::at_least ? "at-least" : "at-most");
            json.end_object();
        }
        json.end_array();
        if (!region.remark.empty())
            json.key("remark").string(region.remark);
        json.end_object();
    }
    json.end_array();
}

}  // namespace vftrace
