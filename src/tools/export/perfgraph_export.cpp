// The sections of a profile as MOOSE's PerfGraphReporter and its JSON output write them
// (https://mooseframework.inl.gov/source/reporters/PerfGraphReporter.html): the graph, version 1,
// is the value "graph" of a reporter, in the only time step.
//
//     {"graph": {NAME: {"level", "num_calls", "time" (self, seconds), "children": {NAME: ...}}},
//      "max_memory_this_rank", "max_memory_per_rank" (MB), "version"}
//
// Sections without children do not have that key.
#include <cmath>
#include <string>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "export/exporters.hpp"
#include "export/trace_profile.hpp"
#include "profile/section_tree.hpp"

namespace vftrace {
namespace {

// In the order of ranks, in MB; empty if no section read the memory.
std::vector<std::uint64_t> memory_of_ranks(const Profile& profile) {
    constexpr double mebibyte = 1 << 20;
    std::vector<std::uint64_t> values;
    for (const RankMetric& value : profile.rank_metrics)
        if (profile.metrics[value.metric].name == row_of(MetricId::section_rank_peak).name)
            values.push_back(static_cast<std::uint64_t>(std::llround(value.value / mebibyte)));
    return values;
}

class PerfGraph {
  public:
    PerfGraph(const Profile& profile, ExportOutput& output)
        : profile_(profile), tree_(section_tree(profile)), output_(output) {}

    void write() {
        output_.write("{\n"
                      "  \"reporters\": {\"perf_graph\": {\"type\": \"PerfGraphReporter\", "
                      "\"values\": {\"graph\": {\"type\": \"PerfGraph\"}}}},\n"
                      "  \"time_steps\": [{\"perf_graph\": {\"graph\": {\n"
                      "    \"graph\": {");
        for (std::uint32_t i = 0; i < tree_.size(); i++) {
            const bool first = i == 0 || tree_[i].depth > tree_[i - 1].depth;
            if (!first)
                end(tree_[i - 1].depth - tree_[i].depth);
            const bool has_children = i + 1 < tree_.size() && tree_[i + 1].depth > tree_[i].depth;
            section(tree_[i], first, has_children);
        }
        end(tree_.back().depth);
        const std::vector<std::uint64_t> memory = memory_of_ranks(profile_);
        std::vector<std::string> numbers;
        for (const std::uint64_t megabytes : memory)
            numbers.push_back(std::to_string(megabytes));
        output_.write(fmt::format("\n    }},\n    \"max_memory_this_rank\": {},\n"
                                  "    \"max_memory_per_rank\": [{}],\n    \"version\": 1\n"
                                  "  }}}}, \"time\": {}, \"time_step\": 0}}]\n}}\n",
                                  memory.empty() ? "0" : numbers.front(), joined(numbers, ", "),
                                  static_cast<double>(profile_.run.runtime_ns) / 1e9));
    }

  private:
    void section(const SectionNode& node, bool first, bool has_children) {
        const std::string name = section_name(profile_, node);
        output_.write(fmt::format(
            "{}\n{}{}: {{\"level\": {}, \"num_calls\": {}, \"time\": {}{}", first ? "" : ",",
            std::string(2 * node.depth + 6, ' '), json_string(name), node.level, node.calls,
            static_cast<double>(node.self_ns) / 1e9, has_children ? ", \"children\": {" : "}"));
    }
    // Ends the innermost sections that have children.
    void end(std::uint32_t sections) {
        for (; sections > 0; sections--)
            output_.write("}}");
    }

    const Profile& profile_;
    std::vector<SectionNode> tree_;
    ExportOutput& output_;
};

}  // namespace

void export_perfgraph(const ExportSource& source, ExportOutput& output) {
    const Profile profile = merged_profile_of_source(source, output);
    PerfGraph(profile, output).write();
}

}  // namespace vftrace
