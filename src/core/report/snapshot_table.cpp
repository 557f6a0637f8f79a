// The figures of sections at the snapshots of a run: for scripts that plot them.
#include "report/tables.hpp"

#include <algorithm>
#include <vector>

#include "report/rows.hpp"
#include "report/series_subject.hpp"

namespace vftrace {
namespace {

const Series* find_series(const Profile& profile, std::uint32_t rank, MetricId id,
                          const std::string& subject) {
    for (const Series& series : profile.series) {
        const std::string* own = subject_of(profile, series, id);
        if (series.rank == rank && own && *own == subject)
            return &series;
    }
    return nullptr;
}

const Series* series_labels(const Profile& profile, std::uint32_t rank) {
    for (const Series& series : profile.series)
        if (series.rank == rank && is_of_process(profile, series, MetricId::section_snapshot))
            return &series;
    return nullptr;
}

// The label of the snapshot that was taken at that time, or of the one that represents it.
double label_at(const Series& labels, std::int64_t ns) {
    const auto after = std::lower_bound(
        labels.points.begin(), labels.points.end(), ns,
        [](const Series::Point& point, std::int64_t time) { return point.ns < time; });
    return after == labels.points.end() ? labels.points.back().value : after->value;
}

struct Row {
    const std::string* section;
    const Series *labels, *calls, *self, *total;
    std::size_t point;
};

double value_at(const Series* series, std::size_t point) {
    return series && point < series->points.size() ? series->points[point].value : 0;
}

}  // namespace

bool has_snapshots(const Profile& profile) {
    return std::any_of(profile.series.begin(), profile.series.end(), [&](const Series& series) {
        return subject_of(profile, series, MetricId::section_total_at);
    });
}

void write_snapshot_table(const Profile& profile, TableOutput& out) {
    std::vector<Row> rows;
    for (const Series& total : profile.series) {
        const std::string* section = subject_of(profile, total, MetricId::section_total_at);
        const Series* labels = section ? series_labels(profile, total.rank) : nullptr;
        if (!labels || labels->points.empty())
            continue;
        const auto of = [&](MetricId id) { return find_series(profile, total.rank, id, *section); };
        const Row row = {
            section, labels, of(MetricId::section_calls_at), of(MetricId::section_self_at),
            &total,  0};
        for (std::size_t i = 0; i < total.points.size(); i++) {
            rows.push_back(row);
            rows.back().point = i;
        }
    }
    static constexpr Column columns[] = {
        count_column("rank", "Rank"),           text_column("section", "Section", Align::left),
        number_column("label", "Label", "", 3), time_column("time", "at[s]"),
        count_column("calls", "Calls"),         time_column("time_excl", "t_excl[s]"),
        time_column("time_incl", "t_incl[s]")};
    const TableSpec spec = {.id = "section_snapshots",
                            .title = "Sections at snapshots",
                            .row = "section and snapshot",
                            .columns = columns};
    out.table(spec, rows.size(), [&](std::size_t i, TableRow& cells) {
        const Row& row = rows[i];
        const Series::Point& total = row.total->points[row.point];
        constexpr double second = 1e9;
        cells.integer(row.total->rank);
        cells.text(*row.section);
        cells.number(label_at(*row.labels, total.ns));
        cells.number(seconds(total.ns));
        cells.integer(static_cast<std::uint64_t>(std::max(value_at(row.calls, row.point), 0.0)));
        cells.number(value_at(row.self, row.point) / second);
        cells.number(total.value / second);
    });
    out.write("\n");
}

}  // namespace vftrace
