// Reads the part of a profile's JSON file that is about the process of each rank as a whole.
#include "readers/process_json_reader.hpp"

#include <tuple>

namespace vftrace {
namespace {

// Of which rank and metric an element is.
template <class Row>
Row read_place(const JsonObject& json, const Profile& profile, const std::vector<Row>& before) {
    Row row{};
    row.rank = json.index("rank", profile.run.ranks);
    row.metric = json.index("metric", profile.metrics.size());
    if (!before.empty() &&
        std::tie(row.rank, row.metric) <= std::tie(before.back().rank, before.back().metric))
        json.fail("rank", "must be sorted by rank and metric");
    return row;
}

Series read_series(const JsonObject& json, const Profile& profile) {
    Series series = read_place(json, profile, profile.series);
    series.missed = json.optional_integer<std::uint64_t>("missed", 0);
    json.for_each("time_ns", [&](const JsonValue* time, std::size_t) {
        series.points.push_back({json.to_integer<std::int64_t>("time_ns", time), 0});
    });
    std::size_t values = 0;
    json.for_each("values", [&](const JsonValue* value, std::size_t position) {
        if (position < series.points.size())
            series.points[position].value = json.to_real("values", value);
        values++;
    });
    if (values != series.points.size())
        json.fail("values", "must be as many as time_ns");
    return series;
}

}  // namespace

void read_process_json(const JsonObject& document, Profile& profile) {
    if (document.find("rank_metrics"))
        document.for_each_object("rank_metrics", [&](const JsonObject& json) {
            RankMetric value = read_place(json, profile, profile.rank_metrics);
            value.value = json.optional_real("value");
            profile.rank_metrics.push_back(value);
        });
    if (document.find("series"))
        document.for_each_object("series", [&](const JsonObject& json) {
            profile.series.push_back(read_series(json, profile));
        });
}

}  // namespace vftrace
