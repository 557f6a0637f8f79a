// The sections of a profile in the format of MOOSE's PerfGraphReporter: JSON, version 1
// (https://mooseframework.inl.gov/source/reporters/PerfGraphReporter.html).
//
//     {"graph": {NAME: {"level", "num_calls", "time" (self, seconds), "children": {NAME: ...}}},
//      "max_memory_this_rank", "max_memory_per_rank" (MB), "version"}
#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "export/exporters.hpp"
#include "export/trace_profile.hpp"
#include "profile/section_tree.hpp"

namespace vftrace {
namespace {

constexpr double mebibyte = 1 << 20;

// In the order of ranks, in MB.
std::vector<double> memory_of_ranks(const Profile& profile) {
    std::vector<double> values;
    for (const RankMetric& value : profile.rank_metrics)
        if (profile.metrics[value.metric].name == row_of(MetricId::section_rank_peak).name)
            values.push_back(value.value / mebibyte);
    return values;
}

class PerfGraph {
  public:
    PerfGraph(const Profile& profile, ExportOutput& output)
        : profile_(profile), tree_(section_tree(profile)), output_(output) {}

    void write() {
        output_.write("{\n  \"graph\": {");
        for (std::uint32_t i = 0; i < tree_.size(); i++) {
            const bool first = i == 0 || tree_[i].depth > tree_[i - 1].depth;
            if (i > 0)
                end(first ? 0 : tree_[i - 1].depth - tree_[i].depth + 1);
            begin(tree_[i], first);
        }
        end(tree_.back().depth + 1);
        const std::vector<double> memory = memory_of_ranks(profile_);
        const double largest = memory.empty() ? 0 : *std::max_element(memory.begin(), memory.end());
        std::vector<std::string> numbers;
        for (const double bytes : memory)
            numbers.push_back(fmt::format("{}", bytes));
        output_.write(fmt::format("\n  }},\n  \"max_memory_this_rank\": {},\n"
                                  "  \"max_memory_per_rank\": [{}],\n  \"version\": 1\n}}\n",
                                  memory.empty() ? largest : memory.front(),
                                  joined(numbers, ", ")));
    }

  private:
    void begin(const SectionNode& node, bool first) {
        const std::string name = section_name(profile_, node);
        output_.write(fmt::format(
            "{}\n{}{}: {{\"level\": {}, \"num_calls\": {}, \"time\": {}, \"children\": {{",
            first ? "" : ",", std::string(2 * node.depth + 4, ' '), json_string(name), node.level,
            node.calls, static_cast<double>(node.self_ns) / 1e9));
    }
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
