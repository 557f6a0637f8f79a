#include "readers/thread_json_reader.hpp"

#include "readers/row_json_reader.hpp"

namespace vftrace {
namespace {

// Reads the figures of one thread by path: arrays of path, calls, inclusive and exclusive time.
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

}  // namespace

void read_thread_details(const JsonObject& json, ThreadFigures& thread, Profile& profile) {
    if (json.find("metrics"))
        for_each_metric_value(json, profile.metrics, [&](std::uint32_t metric, double value) {
            thread.metrics.push_back({metric, value});
        });
    if (json.find("nodes"))
        read_thread_paths(json, static_cast<std::uint32_t>(profile.threads.size() - 1), profile);
}

}  // namespace vftrace
