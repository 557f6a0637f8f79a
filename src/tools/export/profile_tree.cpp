#include "export/profile_tree.hpp"

#include <algorithm>
#include <cmath>

#include "base/saturating.hpp"
#include "base/utf8.hpp"

namespace vftrace {

bool is_pause(const Profile& profile, std::uint32_t path) {
    return (profile.paths[path].flags & path_paused) != 0 ||
           profile.functions[profile.paths[path].function].kind == NodeKind::pause;
}

ProfileTree::ProfileTree(const Profile& profile)
    : exclusive_ns(profile.paths.size()), paused(profile.paths.size()),
      first(profile.paths.size() + 1, 0) {
    const std::size_t count = profile.paths.size();
    for (std::uint32_t i = 0; i < count; i++) {
        paused[i] = is_pause(profile, i);
        if (!paused[i])
            exclusive_ns[i] = std::max<std::int64_t>(0, profile.paths[i].exclusive_ns);
        if (i > 0)
            first[profile.paths[i].parent + 1]++;
    }
    total_ns = exclusive_ns;
    for (std::size_t i = count; i-- > 1;)
        add_saturating(total_ns[profile.paths[i].parent], total_ns[i]);
    for (std::size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    order.resize(count > 0 ? count - 1 : 0);
    std::vector<std::uint32_t> next(first.begin(), first.end());
    for (std::uint32_t i = 1; i < count; i++)
        order[next[profile.paths[i].parent]++] = i;
}

std::int64_t AdditiveMetric::rounded(std::size_t path) const {
    constexpr double most = 9e18;
    return std::llround(std::min(values[path], most));
}

const char* AdditiveMetric::unit_word(const char* number) const {
    return unit == "ns" ? "nanoseconds" : unit == "B" ? "bytes" : number;
}

std::vector<AdditiveMetric> additive_metrics(const Profile& profile) {
    std::vector<AdditiveMetric> result;
    std::vector<std::size_t> place(profile.metrics.size(), profile.metrics.size());
    for (std::size_t i = 0; i < profile.metrics.size(); i++) {
        const Metric& metric = profile.metrics[i];
        if (metric.scope != MetricScope::path || metric.part != MetricPart::exclusive ||
            metric.reduction != Reduction::sum)
            continue;
        place[i] = result.size();
        result.push_back({metric.name, metric.unit, std::vector<double>(profile.paths.size())});
    }
    for (const MetricValue& value : profile.metric_values)
        if (place[value.metric] < result.size() && std::isfinite(value.value) &&
            !is_pause(profile, value.path))
            result[place[value.metric]].values[value.path] = std::max(0.0, value.value);
    return result;
}

std::string name_on_one_line(const std::string& display) {
    return display.empty() ? "?" : printable(display);
}

}  // namespace vftrace
