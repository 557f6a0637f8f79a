// Hatchet's literal format: a JSON list of trees of {"frame", "metrics", "children"}
// (https://hatchet.readthedocs.io, GraphFrame.from_literal).
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

class Literal {
  public:
    Literal(const Profile& profile, ExportOutput& output)
        : profile_(profile), tree_(profile), output_(output) {}

    void write() {
        output_.write("[");
        // The paths from the root to the one that is being written, and the next child of each.
        struct Level {
            std::uint32_t path, next;
            bool has_children = false;
        };
        std::vector<Level> levels{{0, tree_.first[0]}};
        begin(0);
        while (!levels.empty()) {
            Level& level = levels.back();
            if (level.next == tree_.first[level.path + 1]) {
                output_.write("]}");
                levels.pop_back();
                continue;
            }
            const std::uint32_t child = tree_.order[level.next++];
            if (tree_.paused[child])
                continue;
            output_.write(level.has_children ? ",\n" : "\n");
            level.has_children = true;
            begin(child);
            levels.push_back({child, tree_.first[child]});
        }
        output_.write("]\n");
    }

  private:
    void begin(std::uint32_t index) {
        const Path& path = profile_.paths[index];
        const Function& function = profile_.functions[path.function];
        std::string text = R"({"frame": {"name": )" + json_string(function.display) +
                           R"(, "type": )" + json_string(kind_word(function));
        if (!function.file.empty())
            text += fmt::format(R"(, "file": {}, "line": {})", json_string(function.file),
                                function.line);
        if (function.module != no_index)
            text += R"(, "module": )" + json_string(profile_.modules[function.module].path);
        fmt::format_to(std::back_inserter(text),
                       R"json(}}, "metrics": {{"time": {}, "time (inc)": {}, "calls": {})json",
                       seconds(tree_.exclusive_ns[index]), seconds(tree_.total_ns[index]),
                       path.calls);
        add_metrics(index, text);
        text += R"(}, "children": [)";
        output_.write(text);
    }

    void add_metrics(std::uint32_t index, std::string& text) {
        auto first = std::lower_bound(
            profile_.metric_values.begin(), profile_.metric_values.end(), index,
            [](const MetricValue& value, std::uint32_t path) { return value.path < path; });
        for (; first != profile_.metric_values.end() && first->path == index; ++first)
            if (std::isfinite(first->value))
                text += fmt::format(", {}: {}", json_string(profile_.metrics[first->metric].name),
                                    first->value);
        const auto messages = std::lower_bound(
            profile_.messages.begin(), profile_.messages.end(), index,
            [](const PathMessages& value, std::uint32_t path) { return value.path < path; });
        if (messages != profile_.messages.end() && messages->path == index)
            text += fmt::format(R"(, "bytes sent": {}, "bytes received": {})", messages->sent.bytes,
                                messages->received.bytes);
        if (index < profile_.spread.size() && profile_.spread[index].ranks > 0)
            text += fmt::format(R"json(, "time (min)": {}, "time (max)": {})json",
                                seconds(profile_.spread[index].min_ns),
                                seconds(profile_.spread[index].max_ns));
    }

    static double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

    const Profile& profile_;
    const ProfileTree tree_;
    ExportOutput& output_;
};

}  // namespace

void export_hatchet(const ExportSource& source, ExportOutput& output) {
    const Profile profile = merged_profile_of_source(source, output);
    Literal(profile, output).write();
}

}  // namespace vftrace
