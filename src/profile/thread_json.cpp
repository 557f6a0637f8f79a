// The part of a profile's JSON file that is about threads and parallel regions.
#include "profile/thread_json.hpp"

#include "profile/row_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

// The figures of one thread by path, from `next` on, which is moved behind them.
void write_paths(const std::vector<ThreadPath>& paths, std::uint32_t thread, std::size_t& next,
                 JsonWriter& json) {
    if (next == paths.size() || paths[next].thread != thread)
        return;
    json.key("nodes").begin_array(Layout::compact);
    for (; next < paths.size() && paths[next].thread == thread; next++) {
        json.begin_array(Layout::compact);
        json.unsigned_integer(paths[next].path);
        json.unsigned_integer(paths[next].calls);
        json.integer(paths[next].inclusive_ns);
        json.integer(paths[next].exclusive_ns);
        json.end_array();
    }
    json.end_array();
}

void write_figures(const ThreadFigures& thread, JsonWriter& json) {
    if (thread.number != no_index) {
        json.key("rank").unsigned_integer(thread.rank);
        json.key("number").unsigned_integer(thread.number);
        json.key("start").unsigned_integer(thread.start);
    }
    if (!thread.name.empty())
        json.key("name").string(thread.name);
    if (thread.openmp_worker)
        json.key("openmp_worker").boolean(true);
    write_figures_json(thread, json);
    if (thread.metrics.empty())
        return;
    json.key("metrics").begin_array(Layout::compact);
    for (const RowMetric& value : thread.metrics)
        write_metric_json(value.metric, value.value, json);
    json.end_array();
}

void write_threads(const Profile& profile, JsonWriter& json) {
    if (profile.threads.empty())
        return;
    std::size_t next_path = 0;
    json.key("threads").begin_array();
    for (std::uint32_t i = 0; i < profile.threads.size(); i++) {
        json.begin_object(Layout::compact);
        write_figures(profile.threads[i], json);
        write_paths(profile.thread_paths, i, next_path, json);
        json.end_object();
    }
    json.end_array();
}

void write_parallel_regions(const Profile& profile, JsonWriter& json) {
    if (profile.parallel_regions.empty())
        return;
    json.key("parallel_regions").begin_array();
    for (const ParallelRegion& region : profile.parallel_regions) {
        json.begin_object(Layout::compact);
        json.key("node").unsigned_integer(region.path);
        write_figures_json(region, json);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

void write_threads_json(const Profile& profile, JsonWriter& json) {
    write_threads(profile, json);
    write_parallel_regions(profile, json);
}

}  // namespace vftrace
