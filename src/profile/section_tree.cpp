// The sections of a profile as a tree of their own.
#include "profile/section_tree.hpp"

#include <algorithm>
#include <string>

#include "base/index_table.hpp"
#include "base/saturating.hpp"
#include "base/text_hash.hpp"

namespace vftrace {
namespace {

bool is_section(const Function& function, SectionKinds kinds) {
    return function.kind == NodeKind::section ||
           (kinds == SectionKinds::and_regions && function.kind == NodeKind::region);
}

constexpr std::uint8_t level_of_regions = 1;

std::uint8_t level_of(const Function& function) {
    if (function.kind != NodeKind::section)
        return level_of_regions;
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(function.offset, last_section_level));
}

// Of the program and all ranks: see section_tree().
std::int64_t time_of_root(const Profile& profile, bool all_threads) {
    std::int64_t sum = 0;
    if (profile.ranks.empty()) {
        sum = profile.application_ns();
    } else {
        for (const RankFigures& rank : profile.ranks)
            add_saturating(sum, rank.runtime_ns - std::max<std::int64_t>(rank.delay_ns, 0));
        add_saturating(sum, -profile.run.paused_ns);
    }
    for (const ThreadFigures& thread : profile.threads)
        if (thread.number != 0 && all_threads)
            add_saturating(sum, thread.time_ns);
    return sum;
}

class TreeMaker {
  public:
    TreeMaker(const Profile& profile, SectionChoice choice) : profile_(profile), choice_(choice) {
        // A process with one thread has no such list: the paths are that thread's.
        if (!choice_.thread || profile.thread_paths.empty())
            return;
        of_thread_.resize(profile.paths.size());
        for (const ThreadPath& path : profile.thread_paths)
            if (profile.threads[path.thread].number == *choice_.thread)
                of_thread_[path.path] = path;
    }

    std::vector<SectionNode> make() {
        nodes_.emplace_back();
        nodes_[0].calls = static_cast<std::uint64_t>(profile_.summed_ranks());
        add_paths();
        add_metrics();
        set_totals();
        return in_order();
    }

  private:
    const Function& function_of(const SectionNode& node) const {
        return profile_.functions[node.function];
    }

    std::uint32_t child(std::uint32_t parent, std::uint32_t path) {
        const std::uint32_t function = profile_.paths[path].function;
        const std::string& name = profile_.functions[function].name;
        const auto candidate = static_cast<std::uint32_t>(nodes_.size() - 1);  // without the root
        const std::uint32_t index =
            1 + by_name_.find_or_add(text_hash(name, parent), candidate, [&](std::uint32_t i) {
                const SectionNode& known = nodes_[i + 1];
                return known.parent == parent && function_of(known).name == name &&
                       function_of(known).kind == profile_.functions[function].kind;
            });
        if (index == candidate + 1) {
            SectionNode& made = nodes_.emplace_back();
            made.parent = parent;
            made.function = function;
            made.level = level_of(profile_.functions[function]);
            made.depth = nodes_[parent].depth + 1;
            made.some_path = path;
            for (std::uint32_t at = parent; at != 0 && !made.in_itself; at = nodes_[at].parent)
                made.in_itself = function_of(nodes_[at]).name == name;
        }
        return index;
    }

    void add_paths() {
        section_of_.resize(profile_.paths.size());
        for (std::uint32_t i = 0; i < profile_.paths.size(); i++) {
            const Path& path = profile_.paths[i];
            const std::uint32_t around = path.parent == no_index ? 0 : section_of_[path.parent];
            const Function& function = profile_.functions[path.function];
            section_of_[i] = around;
            if (is_section(function, choice_.kinds)) {
                section_of_[i] = child(around, i);
                nodes_[section_of_[i]].calls +=
                    of_thread_.empty() ? path.calls : of_thread_[i].calls;
            }
            if (!(path.flags & path_paused))
                add_saturating(nodes_[section_of_[i]].self_ns,
                               of_thread_.empty() ? path.exclusive_ns : of_thread_[i].exclusive_ns);
        }
    }

    // Values of paths that are sections; of the root path they are the program's.
    void add_metrics() {
        const std::uint32_t memory = path_metric(profile_, MetricId::section_memory),
                            self = path_metric(profile_, MetricId::section_longest_self),
                            total = path_metric(profile_, MetricId::section_longest_total);
        for (const MetricValue& value : profile_.metric_values) {
            SectionNode& node = nodes_[section_of_[value.path]];
            if (value.metric == memory) {
                node.total_memory += value.value;
                node.has_memory = true;
            } else if (value.metric == self) {
                node.longest_self_ns = std::max(node.longest_self_ns, value.value);
            } else if (value.metric == total) {
                node.longest_total_ns = std::max(node.longest_total_ns, value.value);
            }
        }
        for (SectionNode& node : nodes_)
            node.self_memory = node.total_memory;
        for (std::size_t i = 1; i < nodes_.size(); i++)
            nodes_[nodes_[i].parent].self_memory -= nodes_[i].total_memory;
    }

    void set_totals() {
        for (std::size_t i = nodes_.size(); i-- > 1;) {
            add_saturating(nodes_[i].total_ns, nodes_[i].self_ns);
            add_saturating(nodes_[nodes_[i].parent].total_ns, nodes_[i].total_ns);
        }
        // What no hook has seen is the program's own.
        SectionNode& root = nodes_[0];
        const std::int64_t in_sections = root.total_ns;
        add_saturating(root.total_ns, root.self_ns);
        if (of_thread_.empty() || *choice_.thread == 0)
            root.total_ns = std::max(root.total_ns, time_of_root(profile_, of_thread_.empty()));
        root.self_ns = root.total_ns - in_sections;
    }

    std::vector<SectionNode> in_order() const {
        std::vector<std::vector<std::uint32_t>> children(nodes_.size());
        for (std::uint32_t i = 1; i < nodes_.size(); i++)
            children[nodes_[i].parent].push_back(i);
        std::vector<SectionNode> ordered;
        std::vector<std::uint32_t> place(nodes_.size(), no_index);
        std::vector<std::uint32_t> waiting{0};
        while (!waiting.empty()) {
            const std::uint32_t next = waiting.back();
            waiting.pop_back();
            place[next] = static_cast<std::uint32_t>(ordered.size());
            ordered.push_back(nodes_[next]);
            if (next != 0)
                ordered.back().parent = place[nodes_[next].parent];
            waiting.insert(waiting.end(), children[next].rbegin(), children[next].rend());
        }
        return ordered;
    }

    const Profile& profile_;
    SectionChoice choice_;
    std::vector<ThreadPath> of_thread_;  // by path; empty: all threads
    std::vector<SectionNode> nodes_;
    std::vector<std::uint32_t> section_of_;  // by path: index into nodes_
    IndexTable by_name_;                     // of nodes but for the root, by parent and name
};

}  // namespace

std::vector<SectionNode> section_tree(const Profile& profile, SectionChoice choice) {
    return TreeMaker(profile, choice).make();
}

std::uint32_t path_metric(const Profile& profile, MetricId metric) {
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].scope == MetricScope::path &&
            profile.metrics[i].name == row_of(metric).name)
            return i;
    return no_index;
}

bool has_sections(const Profile& profile) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [](const Function& function) { return function.kind == NodeKind::section; });
}

std::vector<SectionSum> sums_of_sections(const Profile& profile,
                                         const std::vector<SectionNode>& tree) {
    std::vector<SectionSum> sums;
    IndexTable by_name;
    const auto name_of = [&](std::uint32_t function) -> const std::string& {
        return profile.functions[function].name;
    };
    for (std::size_t i = 1; i < tree.size(); i++) {
        const SectionNode& node = tree[i];
        const auto candidate = static_cast<std::uint32_t>(sums.size());
        const std::uint32_t index =
            by_name.find_or_add(text_hash(name_of(node.function)), candidate, [&](std::uint32_t s) {
                return name_of(sums[s].function) == name_of(node.function);
            });
        if (index == candidate)
            sums.push_back({.function = node.function, .level = node.level});
        SectionSum& sum = sums[index];
        sum.calls += node.calls;
        add_saturating(sum.self_ns, node.self_ns);
        sum.self_memory += node.self_memory;
        sum.has_memory |= node.has_memory;
        if (!node.in_itself)
            add_saturating(sum.total_ns, node.total_ns);
    }
    std::sort(sums.begin(), sums.end(), [&](const SectionSum& a, const SectionSum& b) {
        return a.self_ns != b.self_ns ? a.self_ns > b.self_ns
                                      : name_of(a.function) < name_of(b.function);
    });
    return sums;
}

std::vector<std::uint32_t> heaviest_branch(const std::vector<SectionNode>& tree) {
    std::vector<std::uint32_t> branch{0};
    for (;;) {
        std::uint32_t heaviest = no_index;
        for (std::uint32_t i = branch.back() + 1; i < tree.size(); i++)
            if (tree[i].parent == branch.back() &&
                (heaviest == no_index || tree[i].total_ns > tree[heaviest].total_ns))
                heaviest = i;
        if (heaviest == no_index)
            return branch;
        branch.push_back(heaviest);
    }
}

std::string root_section_name(const Profile& profile) {
    return profile.run.application + " (main)";
}

}  // namespace vftrace
