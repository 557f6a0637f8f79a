// Energy by call path, estimated by time.
#include "collate/region_energy.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "record/metrics.hpp"

namespace vftrace {
namespace {

struct Estimate {
    MetricId sampled, of_path;
};
constexpr Estimate estimates[] = {{MetricId::region_package_energy, MetricId::region_path_energy},
                                  {MetricId::region_gpu_energy, MetricId::region_path_gpu_energy}};

std::uint32_t find_metric(const Profile& profile, MetricId metric) {
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].name == row_of(metric).name)
            return i;
    return no_index;
}

// By path: the function of the outermost region that it is in; no_index: it is in none.
std::vector<std::uint32_t> regions_of_paths(const Profile& profile) {
    std::vector<bool> is_region(profile.functions.size(), false);
    for (const RegionFigures& region : profile.regions)
        if (region.function < is_region.size())
            is_region[region.function] = true;
    std::vector<std::uint32_t> region_of(profile.paths.size(), no_index);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        if (path.parent < i && region_of[path.parent] != no_index)
            region_of[i] = region_of[path.parent];
        else if (is_region[path.function])
            region_of[i] = path.function;
    }
    return region_of;
}

// The function of each region that was sampled, by id.
class FunctionOfRegion {
  public:
    explicit FunctionOfRegion(const Profile& profile) {
        for (const RegionFigures& region : profile.regions)
            if (region.part == RegionPart::region)
                functions_.emplace_back(region.id, region.function);
        std::sort(functions_.begin(), functions_.end());
    }
    // no_index: it is not known.
    std::uint32_t operator()(std::uint64_t id) const {
        const auto found =
            std::lower_bound(functions_.begin(), functions_.end(), std::pair{id, std::uint32_t{0}});
        return found != functions_.end() && found->first == id ? found->second : no_index;
    }

  private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> functions_;
};

bool has_time(const Profile& profile, const Path& path) {
    return path.exclusive_ns > 0 && (path.flags & path_paused) == 0 &&
           profile.functions[path.function].kind != NodeKind::pause;
}

// The last element of each list is for what is outside all regions.
void share_out(Profile& profile, std::uint32_t sampled, std::uint32_t metric,
               const std::vector<std::uint32_t>& region_of, const FunctionOfRegion& function_of) {
    const std::size_t unmarked = profile.functions.size();
    std::vector<double> joules(unmarked + 1), ns(unmarked + 1);
    for (const RegionMetric& value : profile.region_metrics) {
        if (value.metric != sampled ||
            (value.part != RegionPart::region && value.part != RegionPart::unmarked))
            continue;
        const std::size_t region =
            value.part == RegionPart::region ? function_of(value.id) : unmarked;
        if (region < joules.size())
            joules[region] += value.value;
    }
    const auto region = [&](std::uint32_t path) {
        return std::min<std::size_t>(region_of[path], unmarked);
    };
    // Outermost paths come before those inside them. If no path has time, as in code without hooks,
    // the outermost path gets the energy.
    std::vector<std::uint32_t> first_path(unmarked + 1, no_index);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (first_path[region(i)] == no_index)
            first_path[region(i)] = i;
        if (has_time(profile, profile.paths[i]))
            ns[region(i)] += static_cast<double>(profile.paths[i].exclusive_ns);
    }
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const double of_region = joules[region(i)], whole = ns[region(i)];
        const double share = whole > 0
                                 ? has_time(profile, profile.paths[i])
                                       ? static_cast<double>(profile.paths[i].exclusive_ns) / whole
                                       : 0
                             : first_path[region(i)] == i ? 1
                                                          : 0;
        if (of_region * share > 0)
            profile.metric_values.push_back({i, metric, of_region * share});
    }
}

}  // namespace

void estimate_energy_of_paths(Profile& profile) {
    std::vector<std::uint32_t> region_of;
    for (const Estimate& estimate : estimates) {
        const std::uint32_t sampled = find_metric(profile, estimate.sampled);
        if (sampled == no_index)
            continue;
        std::uint32_t metric = find_metric(profile, estimate.of_path);
        if (metric == no_index) {
            metric = static_cast<std::uint32_t>(profile.metrics.size());
            profile.metrics.push_back(described_metric(estimate.of_path, 0));
        }
        std::vector<MetricValue>& values = profile.metric_values;
        values.erase(
            std::remove_if(values.begin(), values.end(),
                           [&](const MetricValue& value) { return value.metric == metric; }),
            values.end());
        if (region_of.empty())
            region_of = regions_of_paths(profile);
        share_out(profile, sampled, metric, region_of, FunctionOfRegion(profile));
        sort_rows(values);
    }
}

}  // namespace vftrace
