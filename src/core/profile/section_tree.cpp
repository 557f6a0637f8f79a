#include "profile/section_tree.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

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

// The time of the program on all ranks: see section_tree().
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
        // A process with one thread does not have such a list: the paths are that thread's.
        if (!choice_.thread || profile.thread_paths.empty())
            return;
        of_thread_.resize(profile.paths.size());
        for (const ThreadPath& path : profile.thread_paths)
            if (profile.threads[path.thread].number == *choice_.thread)
                of_thread_[path.path] = path;
    }

    std::vector<SectionNode> make() {
        nodes_.emplace_back();
        nodes_[0].some_path = 0;
        nodes_[0].calls = static_cast<std::uint64_t>(profile_.summed_ranks());
        add_paths();
        add_metrics();
        set_totals();
        if (choice_.earlier_run && !choice_.thread)
            add_earlier_run();
        return in_order();
    }

  private:
    // The index of the node, which is created if there is none.
    std::uint32_t child(std::uint32_t parent, std::string_view name, NodeKind kind,
                        std::uint8_t level) {
        const auto candidate = static_cast<std::uint32_t>(nodes_.size() - 1);  // without the root
        const std::uint32_t index =
            1 + by_name_.find_or_add(text_hash(name, parent), candidate, [&](std::uint32_t i) {
                const SectionNode& known = nodes_[i + 1];
                return known.parent == parent && known.name == name && known.kind == kind;
            });
        if (index == candidate + 1) {
            SectionNode& made = nodes_.emplace_back();
            made.parent = parent;
            made.name = name;
            made.kind = kind;
            made.level = level;
            made.depth = nodes_[parent].depth + 1;
            for (std::uint32_t at = parent; at != 0 && !made.in_itself; at = nodes_[at].parent)
                made.in_itself = nodes_[at].name == name;
        }
        return index;
    }

    std::uint32_t child(std::uint32_t parent, std::uint32_t path) {
        const Function& function = profile_.functions[profile_.paths[path].function];
        const std::uint32_t index = child(parent, function.name, function.kind, level_of(function));
        if (nodes_[index].some_path == no_index)
            nodes_[index].some_path = path;
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

    // Values of paths that are sections; those of the root path are the program's.
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
        // What no hook has seen belongs to the program itself.
        SectionNode& root = nodes_[0];
        const std::int64_t in_sections = root.total_ns;
        add_saturating(root.total_ns, root.self_ns);
        if (of_thread_.empty() || *choice_.thread == 0)
            root.total_ns = std::max(root.total_ns, time_of_root(profile_, of_thread_.empty()));
        root.self_ns = root.total_ns - in_sections;
    }

    // Which node a section of the earlier run is, by its index. Parents may come after their
    // children; a parent that is missing, or below itself, is taken as the program.
    std::uint32_t node_of_earlier(std::uint32_t index, std::vector<std::uint32_t>& node_of) {
        const std::vector<EarlierSection>& earlier = profile_.earlier_sections;
        std::vector<std::uint32_t> chain;
        std::uint32_t at = index;
        while (node_of[at] == no_index) {
            node_of[at] = 0;
            if (earlier[at].id == 0)
                break;
            chain.push_back(at);
            const std::uint64_t parent = earlier[at].parent;
            const auto found = std::lower_bound(
                earlier.begin(), earlier.end(), parent,
                [](const EarlierSection& section, std::uint64_t id) { return section.id < id; });
            if (found == earlier.end() || found->id != parent)
                break;
            at = static_cast<std::uint32_t>(found - earlier.begin());
        }
        std::uint32_t node = chain.empty() || chain.back() != at ? node_of[at] : 0;
        for (; !chain.empty(); chain.pop_back()) {
            const EarlierSection& section = earlier[chain.back()];
            node = child(node, section.name, NodeKind::section, section.level);
            node_of[chain.back()] = node;
        }
        return node;
    }

    void add_earlier_run() {
        const std::vector<EarlierSection>& earlier = profile_.earlier_sections;
        std::vector<std::uint32_t> node_of(earlier.size(), no_index);
        std::vector<std::uint32_t> order(earlier.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::tie(earlier[a].place, a) < std::tie(earlier[b].place, b);
        });
        for (const std::uint32_t i : order) {
            const EarlierSection& section = earlier[i];
            const std::uint32_t index = node_of_earlier(i, node_of);
            SectionNode& node = nodes_[index];
            add_saturating(node.calls, section.calls);
            add_saturating(node.self_ns, section.self_ns);
            node.longest_self_ns += static_cast<double>(section.longest_self_ns);
            node.longest_total_ns += static_cast<double>(section.longest_total_ns);
            const auto memory = static_cast<double>(section.self_memory);
            node.self_memory += memory;
            node.has_memory |= section.self_memory != 0;
            for (std::uint32_t at = index; at != no_index; at = nodes_[at].parent) {
                add_saturating(nodes_[at].total_ns, section.self_ns);
                nodes_[at].total_memory += memory;
                nodes_[at].has_memory |= section.self_memory != 0;
            }
        }
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
    IndexTable by_name_;                     // of nodes except for the root, by parent and name
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
    return !profile.earlier_sections.empty() ||
           std::any_of(profile.functions.begin(), profile.functions.end(),
                       [](const Function& function) { return function.kind == NodeKind::section; });
}

std::vector<SectionSum> sums_of_sections(const std::vector<SectionNode>& tree) {
    std::vector<SectionSum> sums;
    IndexTable by_name;
    for (std::size_t i = 1; i < tree.size(); i++) {
        const SectionNode& node = tree[i];
        const auto candidate = static_cast<std::uint32_t>(sums.size());
        const std::uint32_t index =
            by_name.find_or_add(text_hash(node.name), candidate,
                                [&](std::uint32_t s) { return sums[s].name == node.name; });
        if (index == candidate)
            sums.push_back({.name = node.name, .level = node.level});
        SectionSum& sum = sums[index];
        sum.calls += node.calls;
        add_saturating(sum.self_ns, node.self_ns);
        sum.self_memory += node.self_memory;
        sum.has_memory |= node.has_memory;
        if (!node.in_itself)
            add_saturating(sum.total_ns, node.total_ns);
    }
    std::sort(sums.begin(), sums.end(), [](const SectionSum& a, const SectionSum& b) {
        return a.self_ns != b.self_ns ? a.self_ns > b.self_ns : a.name < b.name;
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

std::string section_name(const Profile& profile, const SectionNode& node) {
    return node.depth == 0 ? root_section_name(profile) : std::string(node.name);
}

}  // namespace vftrace
