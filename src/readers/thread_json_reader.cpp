// Reads the part of a profile's JSON file that is about threads and parallel regions.
#include "readers/thread_json_reader.hpp"

#include <tuple>

#include "readers/row_json_reader.hpp"

namespace vftrace {
namespace {

ThreadFigures read_thread(const JsonObject& json, const Profile& profile) {
    ThreadFigures thread;
    if (json.find("number")) {
        thread.rank = json.index("rank", profile.run.ranks);
        thread.number = json.integer<std::uint32_t>("number");
        thread.start = json.index("start", profile.paths.size());
    } else {
        thread.rank = thread.number = thread.start = no_index;
    }
    if (!profile.threads.empty()) {
        const ThreadFigures& last = profile.threads.back();
        if (std::tie(thread.rank, thread.number) <= std::tie(last.rank, last.number))
            json.fail("number", "must be sorted by rank and number");
    }
    thread.name = json.optional_string("name");
    thread.openmp_worker = json.optional_boolean("openmp_worker", false);
    read_figures_json(json, thread);
    if (json.find("metrics"))
        for_each_metric_value(json, profile.metrics, [&](std::uint32_t metric, double value) {
            thread.metrics.push_back({metric, value});
        });
    return thread;
}

// The figures of one thread by path: arrays of path, calls, inclusive and exclusive time.
void read_thread_paths(const JsonObject& json, std::uint32_t thread, Profile& profile) {
    std::uint64_t least_path = 0;
    json.for_each("nodes", [&](const JsonValue* figures, std::size_t) {
        if (!figures->IsArray() || figures->Size() != 4)
            json.fail("nodes", "must be arrays of four numbers");
        const JsonValue* number = figures->Begin();
        ThreadPath read;
        read.thread = thread;
        read.path = json.to_integer<std::uint32_t>("nodes", number);
        if (read.path >= profile.paths.size() || read.path < least_path)
            json.fail("nodes", "must name call paths in ascending order");
        least_path = std::uint64_t{read.path} + 1;
        read.calls = json.to_integer<std::uint64_t>("nodes", ++number);
        read.inclusive_ns = json.to_integer<std::int64_t>("nodes", ++number);
        read.exclusive_ns = json.to_integer<std::int64_t>("nodes", ++number);
        profile.thread_paths.push_back(read);
    });
}

ParallelRegion read_parallel_region(const JsonObject& json, const Profile& profile) {
    ParallelRegion region;
    region.path = json.index("node", profile.paths.size());
    if (!profile.parallel_regions.empty() && region.path <= profile.parallel_regions.back().path)
        json.fail("node", "must be larger than the one before");
    read_figures_json(json, region);
    return region;
}

}  // namespace

void read_threads_json(const JsonObject& document, Profile& profile) {
    if (document.find("threads"))
        document.for_each_object("threads", [&](const JsonObject& thread) {
            const auto index = static_cast<std::uint32_t>(profile.threads.size());
            profile.threads.push_back(read_thread(thread, profile));
            if (thread.find("nodes"))
                read_thread_paths(thread, index, profile);
        });
    if (document.find("parallel_regions"))
        document.for_each_object("parallel_regions", [&](const JsonObject& region) {
            profile.parallel_regions.push_back(read_parallel_region(region, profile));
        });
}

}  // namespace vftrace
