#include "compare/compared_profile.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/core.h>

#include "compare/filtered_in_one.hpp"
#include "compare/old_log_reader.hpp"
#include "profile/metric_rows.hpp"
#include "readers/profile_json_reader.hpp"
#include "report/path_text.hpp"

namespace vftrace {
namespace {

bool is_paused(const Profile& profile, const Path& path) {
    return (path.flags & path_paused) != 0 ||
           profile.functions[path.function].kind == NodeKind::pause;
}

// By name, across modules and kinds; but the root is not something that a program could call.
const std::string& identity(const Function& function) {
    return function.kind == NodeKind::root ? root_key : function.name;
}

bool is_outermost(const Profile& profile, const Path& path) {
    for (std::uint32_t i = path.parent; i != no_index; i = profile.paths[i].parent)
        if (identity(profile.functions[profile.paths[i].function]) ==
            identity(profile.functions[path.function]))
            return false;
    return true;
}

// Text logs begin with a line of text, JSON with a brace.
bool looks_like_json(const std::string& file) {
    if (std::filesystem::is_directory(file))
        return false;
    std::ifstream in(file, std::ios::binary);
    char first = 0;
    return in >> first && first == '{';
}

// The contents of a file of either kind.
struct ReadFile {
    std::optional<Profile> profile;
    ComparedProfile log;
};

ReadFile read(const std::string& file) {
    ReadFile result;
    if (looks_like_json(file))
        result.profile = read_profile_json(file);
    else
        result.log = read_text_log(file);
    return result;
}

}  // namespace

// The quantity to minimise for a fast and economical program (Gonzalez and Horowitz, "Energy
// dissipation in general purpose microprocessors", IEEE J. Solid-State Circuits 31, 1996): the
// energy of processors, memory and GPUs, as far as it is known, times the run time.
static void add_energy_delay(ComparedProfile& result) {
    double joules = 0;
    bool any = false;
    for (const RowMetric& total : result.totals)
        for (const MetricId energy : {MetricId::region_package_energy, MetricId::region_dram_energy,
                                      MetricId::region_gpu_energy})
            if (result.metrics[total.metric].name == row_of(energy).name) {
                joules += total.value;
                any = true;
            }
    if (!any)
        return;
    Metric metric;
    metric.name = "region.energy_delay";
    metric.title = "Energy-delay product";
    metric.unit = "J s";
    metric.scope = MetricScope::region;
    metric.part = MetricPart::point;
    constexpr double ns = 1e-9;
    result.totals.push_back({static_cast<std::uint32_t>(result.metrics.size()),
                             ns * static_cast<double>(result.runtime_ns) * joules});
    result.metrics.push_back(std::move(metric));
}

std::string path_key_of_hash(std::uint64_t hash) { return fmt::format("{:x}", hash); }

ComparedProfile compared_profile(const Profile& profile, std::string file, bool as_log,
                                 std::size_t name_width) {
    ComparedProfile result;
    result.file = std::move(file);
    result.application = profile.run.application;
    result.runtime_ns = profile.run.runtime_ns;
    result.ranks = static_cast<std::uint32_t>(profile.summed_ranks());
    result.threads = profile.run.threads;
    result.parameters = profile.run.parameters;
    result.name_width = name_width;
    const PathText text(profile, name_width);
    const auto key_of = [&](std::uint32_t function) {
        return as_log ? text.name(function) : identity(profile.functions[function]);
    };
    std::vector<std::uint32_t> row_of(profile.paths.size(), no_index);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        if (is_paused(profile, path))
            continue;
        row_of[i] = static_cast<std::uint32_t>(result.paths.size());
        ComparedPath& row = result.paths.emplace_back();
        row.function = text.function(i);
        row.path = text.call_path(i);
        row.function_key = key_of(path.function);
        row.path_key = as_log ? row.path : path_key_of_hash(path.hash);
        if (path.parent != no_index) {
            row.parent = row_of[path.parent];
            row.caller_key = key_of(profile.paths[path.parent].function);
        }
        row.stid = path.stid;
        row.calls = path.calls;
        row.exclusive_ns = path.exclusive_ns;
        row.inclusive_ns = path.inclusive_ns;
        row.overhead_ns = path.overhead_ns;
        row.outermost = is_outermost(profile, path);
    }
    result.metrics = profile.metrics;
    for (const MetricValue& value : profile.metric_values)
        if (row_of[value.path] != no_index)
            result.paths[row_of[value.path]].metrics.push_back({value.metric, value.value});
    ThreadFigures threads;
    threads.threads = 0;
    for (const ThreadFigures& thread : profile.threads)
        add_thread_row(threads, thread, profile.metrics);
    result.totals = std::move(threads.metrics);
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++) {
        MetricMean total;
        bool any = false;
        const auto add = [&](const auto& values) {
            for (const auto& value : values)
                if (value.metric == i) {
                    total.add(value.value, 1, profile.metrics[i].reduction);
                    any = true;
                }
        };
        add(profile.rank_metrics);
        add(profile.host_metrics);
        for (const RegionMetric& value : profile.region_metrics)
            if (value.metric == i && value.part == RegionPart::application &&
                profile.metrics[i].unit == "J") {
                total.add(value.value, 1, profile.metrics[i].reduction);
                any = true;
            }
        if (any)
            result.totals.push_back({i, total.result(profile.metrics[i].reduction)});
    }
    add_energy_delay(result);
    for (const FilteredFunction& filtered : profile.filtered)
        result.filtered.push_back({text.name(filtered.function),
                                   key_of(filtered.function),
                                   filtered.reason,
                                   filtered.still_called,
                                   {filtered.calls, filtered.exclusive_ns, filtered.overhead_ns}});
    return result;
}

ComparedPair read_compared_pair(const std::string& file_a, const std::string& file_b) {
    ReadFile a = read(file_a), b = read(file_b);
    const bool as_log = !a.profile || !b.profile;
    std::size_t width = std::string::npos;
    if (!a.profile)
        width = a.log.name_width;
    else if (!b.profile)
        width = b.log.name_width;
    auto comparable = [&](ReadFile& read, const std::string& file) {
        return read.profile ? compared_profile(*read.profile, file, as_log, width)
                            : std::move(read.log);
    };
    ComparedPair pair{comparable(a, file_a), comparable(b, file_b), {}};
    fold_filtered_in_one(pair);
    return pair;
}

}  // namespace vftrace
