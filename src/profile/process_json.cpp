// The part of a profile's JSON file that is about the process of each rank as a whole.
#include "profile/process_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

void write_one(const Series& series, JsonWriter& json) {
    json.begin_object(Layout::compact);
    json.key("rank").unsigned_integer(series.rank);
    json.key("metric").unsigned_integer(series.metric);
    if (series.missed != 0)
        json.key("missed").unsigned_integer(series.missed);
    json.key("time_ns").begin_array(Layout::compact);
    for (const Series::Point& point : series.points)
        json.integer(point.ns);
    json.end_array();
    json.key("values").begin_array(Layout::compact);
    for (const Series::Point& point : series.points)
        json.number(point.value);
    json.end_array();
    json.end_object();
}

}  // namespace

void write_process_json(const Profile& profile, JsonWriter& json) {
    if (!profile.rank_metrics.empty()) {
        json.key("rank_metrics").begin_array();
        for (const RankMetric& value : profile.rank_metrics) {
            json.begin_object(Layout::compact);
            json.key("rank").unsigned_integer(value.rank);
            json.key("metric").unsigned_integer(value.metric);
            json.key("value").number(value.value);
            json.end_object();
        }
        json.end_array();
    }
    if (profile.series.empty())
        return;
    json.key("series").begin_array();
    for (const Series& series : profile.series)
        write_one(series, json);
    json.end_array();
}

}  // namespace vftrace
