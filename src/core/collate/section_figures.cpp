#include "collate/section_figures.hpp"

#include <vector>

#include "collate/side_figures.hpp"
#include "profile/section_tree.hpp"

namespace vftrace {

void note_sections_of_rank(Profile& profile) {
    if (!has_sections(profile))
        return;
    const auto first = static_cast<std::uint32_t>(profile.metrics.size());
    for (const MetricId metric : {MetricId::section_longest_self, MetricId::section_longest_total})
        profile.metrics.push_back(described_metric(metric, 0));
    for (const SectionNode& node : section_tree(profile, {.earlier_run = false})) {
        profile.metric_values.push_back({node.some_path, first, static_cast<double>(node.self_ns)});
        profile.metric_values.push_back(
            {node.some_path, first + 1, static_cast<double>(node.total_ns)});
    }
    sort_values_of_paths(profile);
}

}  // namespace vftrace
