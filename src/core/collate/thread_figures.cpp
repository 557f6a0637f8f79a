#include "collate/thread_figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/relaxed.hpp"
#include "collate/estimated_calls.hpp"
#include "collate/sampled_times.hpp"
#include "collate/task_times.hpp"
#include "record/openmp_constructs.hpp"

namespace vftrace {
namespace {

bool is_construct(const Node& node, OpenmpConstruct construct) {
    return node.kind == NodeKind::openmp &&
           openmp_construct(node.key) == static_cast<std::uint8_t>(construct);
}

// A construct that a team of threads executes.
bool has_team(const Node& node) {
    return is_construct(node, OpenmpConstruct::parallel) ||
           is_construct(node, OpenmpConstruct::teams);
}

bool is_waiting(const Node& node) {
    if (node.kind != NodeKind::openmp)
        return false;
    const std::uint8_t construct = openmp_construct(node.key);
    return construct < std::size(openmp_constructs) && openmp_constructs[construct].waits;
}

// How often the path of a node was called there. A parallel region is called by the thread that
// encounters it, not by its team; threads and tasks are counted by their grafts.
std::uint64_t calls_of(const Node& node) {
    const Node& called = called_path(node);
    if (called.kind == NodeKind::graft) {
        const Node* target = graft_target(called);
        if (!target || (target->kind != NodeKind::thread && relaxed(target->calls) > 0))
            return 0;
    }
    return relaxed(node.calls);
}

std::uint32_t flags_of(const NodeTimes& times) {
    const Node& node = *times.node;
    const std::uint8_t flags = __atomic_load_n(&node.flags, __ATOMIC_RELAXED);
    return (flags & node_closed_without_exit ? path_closed_without_exit : 0u) |
           (flags & node_recursion_folded ? path_recursion_folded : 0u) |
           (node.kind == NodeKind::pause ? path_paused : 0u) | (times.thinned ? path_thinned : 0u);
}

bool begins_thread(const Node& node) {
    if (node.kind == NodeKind::thread)
        return true;
    const Node* target = node.kind == NodeKind::graft ? graft_target(node) : nullptr;
    return target && target->kind == NodeKind::thread;
}

// The first function of the thread; if there are several, the one with the most time. A thread may
// have destructors of its own data, and a tree may have been used by threads of several kinds.
std::uint32_t start_path(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times) {
    if (times.size() < 2)
        return 0;
    const Node& first = *times[1].node;
    if (!begins_thread(first))
        return first.kind == NodeKind::graft ? 0 : thread.path_of[1];
    std::uint32_t longest = 1;
    for (std::uint32_t i = 2; i < times.size(); i++)
        if (begins_thread(*times[times[i].parent].node) && !is_bookkeeping(*times[i].node) &&
            !times[i].is_paused() && (longest == 1 || times[i].active > times[longest].active))
            longest = i;
    return thread.path_of[longest];
}

std::string name_of(const ThreadRecord& record) {
    std::string name;
    for (const char& character : record.name) {
        const char c = __atomic_load_n(&character, __ATOMIC_RELAXED);
        if (c == '\0')
            break;
        name += c;
    }
    return name;
}

// "0-3,8"
std::string list_of(const ProcessorSet& set) {
    std::string list;
    for (std::size_t i = 0; i < ProcessorSet::most; i++) {
        if (!set.has(i))
            continue;
        const std::size_t first = i;
        while (i + 1 < ProcessorSet::most && set.has(i + 1))
            i++;
        list += (list.empty() ? "" : ",") + std::to_string(first);
        if (i > first)
            list += "-" + std::to_string(i);
    }
    return list;
}

}  // namespace

ThreadFiguresSum::ThreadFiguresSum(Profile& profile, double ns_per_tick, std::uint64_t end_ticks,
                                   double uncertainty)
    : profile_(profile), ns_per_tick_(ns_per_tick), end_ticks_(end_ticks),
      uncertainty_(uncertainty), paths_(profile.paths.size()), filtered_(profile.filtered.size()),
      regions_(profile.paths.size(), no_index) {}

std::int64_t ThreadFiguresSum::nanoseconds(double ticks) const {
    return saturated_ns(ticks, ns_per_tick_);
}

std::int64_t ThreadFiguresSum::nanoseconds(std::int64_t ticks) const {
    return nanoseconds(static_cast<double>(ticks));
}

std::uint32_t ThreadFiguresSum::add(const NodePaths::Thread& thread,
                                    const std::vector<NodeTimes>& times) {
    if (times.size() < 2)
        return no_index;  // it has called nothing
    const std::uint32_t row = row_of(thread, times);
    add_nodes(row, thread, times);
    add_parallel_regions(row, thread, times);
    return row;
}

// The row of a thread: a new one, or that of threads that have ended and began in the same way.
// Threads of OpenMP teams stay separate, because their balance is of interest.
std::uint32_t ThreadFiguresSum::row_of(const NodePaths::Thread& thread,
                                       const std::vector<NodeTimes>& times) {
    const ThreadRecord& record = *thread.record;
    ThreadFigures own;
    own.rank = profile_.run.rank;
    own.number = record.number;
    own.name = name_of(record);
    own.openmp_worker = __atomic_load_n(&record.is_worker, __ATOMIC_RELAXED) != 0;
    own.processors = list_of(record.processors);
    if (const std::uint32_t core = relaxed(record.core); core != 0)
        own.core = std::to_string(core - 1);
    own.start = own.openmp_worker ? 0 : start_path(thread, times);
    own.threads = std::max<std::uint64_t>(relaxed(record.threads), 1);
    const bool in_use = __atomic_load_n(&record.in_use, __ATOMIC_ACQUIRE) != 0;
    std::uint64_t lifetime = relaxed(record.lived_ticks);
    if (const std::uint64_t started = relaxed(record.started); in_use && started < end_ticks_)
        lifetime += end_ticks_ - started;

    std::vector<ThreadFigures>& rows = profile_.threads;
    const bool may_join = !in_use && !own.openmp_worker;
    std::uint32_t row = 0;
    while (row < rows.size() &&
           !(may_join && is_group_[row] && rows[row].start == own.start &&
             rows[row].name == own.name && rows[row].processors == own.processors))
        row++;
    if (row < rows.size()) {
        rows[row].threads += own.threads;
    } else {
        rows.push_back(std::move(own));
        threads_.push_back({});
        is_group_.push_back(may_join);
    }
    add_saturating(threads_[row].lifetime, static_cast<std::int64_t>(std::min<std::uint64_t>(
                                               lifetime, std::uint64_t{1} << 61)));
    return row;
}

void ThreadFiguresSum::add_nodes(std::uint32_t row, const NodePaths::Thread& thread,
                                 const std::vector<NodeTimes>& times) {
    const std::vector<std::uint64_t> estimated = estimated_calls(thread, times.size());
    for (std::uint32_t i = 1; i < times.size(); i++) {
        const NodeTimes& own = times[i];
        const std::uint32_t path = thread.path_of[i];
        const std::uint64_t counted = calls_of(*own.node);
        const bool is_estimated = !estimated.empty() && estimated[i] != 0;
        const std::uint64_t calls = is_estimated ? estimated[i] : counted;
        PathTicks& sum = paths_[path];
        add_saturating(sum.exclusive, own.exclusive);
        add_saturating(sum.raw_exclusive, own.raw_exclusive);
        sum.exclusive_variance += own.exclusive_variance;
        if (!own.combined) {
            add_saturating(sum.exclusive_correction, own.raw_exclusive - own.exclusive);
            add_saturating(sum.inclusive_correction, own.raw_inclusive - own.inclusive);
        }
        if (!own.is_paused())
            add_saturating(threads_[row].time, own.exclusive);
        if (thread.is_filtered(i)) {  // its time is its caller's
            FilteredTicks& filtered = filtered_[thread.filtered[i]];
            filtered.calls += counted;
            add_saturating(filtered.exclusive, own.exclusive);
            filtered.cost += own.cost.all;
        }
        if (thread.is_filtered(i) && !thread.is_removed(i)) {
            profile_.thread_paths.push_back({row, path, 0, 0, own.exclusive});
            continue;
        }
        const bool is_clone = thread.is_clone(i);  // its time too is its caller's
        sum.calls += is_clone ? 0 : calls;
        sum.samples += own.node->kind == NodeKind::samples
                           ? __atomic_load_n(&own.node->timed_calls, __ATOMIC_RELAXED)
                           : samples_of(*own.node);
        sum.page_faults += page_faults_of(*own.node);
        add_saturating(sum.kernel, kernel_ticks_of(*own.node));
        sum.cost += own.cost.all;
        if (is_clone) {
            profile_.thread_paths.push_back({row, path, 0, 0, own.exclusive});
            continue;
        }
        add_saturating(sum.inclusive, own.inclusive);
        add_saturating(sum.raw_inclusive, own.raw_inclusive);
        sum.inclusive_variance += own.active_variance;
        profile_.paths[path].flags |= own.node->kind == NodeKind::graft ? 0 : flags_of(own);
        if (thread.is_removed(i))
            profile_.paths[path].flags |=
                is_estimated ? path_calls_estimated : path_calls_until_removal;
        if (own.combined && own.node->kind == NodeKind::function)
            profile_.paths[path].flags |= path_combined;
        profile_.thread_paths.push_back({row, path, calls, own.inclusive, own.exclusive});
        if (own.is_paused())
            continue;
        if (is_waiting(*own.node))
            add_saturating(threads_[row].waiting, own.exclusive);
        if (const NodeKind kind = kind_of_calls(*own.node);
            kind != NodeKind::graft && kind != NodeKind::thread)
            profile_.threads[row].calls += counted;
    }
}

// Adds the thread's work in parallel regions: as a member of their teams, if that is a graft, or as
// the thread that encountered them.
void ThreadFiguresSum::add_parallel_regions(std::uint32_t row, const NodePaths::Thread& thread,
                                            const std::vector<NodeTimes>& times) {
    std::vector<std::int64_t> waiting(times.size(), 0);  // in the node and below it
    std::vector<bool> has_own_graft(times.size(), false);
    for (std::uint32_t i = static_cast<std::uint32_t>(times.size()); i-- > 1;) {
        const Node& node = *times[i].node;
        const std::uint32_t parent = times[i].parent;
        if (is_waiting(node))
            add_saturating(waiting[i], std::max<std::int64_t>(times[i].exclusive, 0));
        add_saturating(waiting[parent], waiting[i]);
        if (node.kind == NodeKind::graft && graft_target(node) == times[parent].node)
            has_own_graft[parent] = true;
    }
    std::vector<bool> in_region(times.size(), false);
    std::vector<RegionTicks> parts;
    for (std::uint32_t i = 1; i < times.size(); i++) {
        const Node& node = *times[i].node;
        in_region[i] = in_region[times[i].parent];
        const Node* const region = node.kind == NodeKind::graft ? graft_target(node) : &node;
        if (!region || !has_team(*region) || has_own_graft[i])
            continue;
        const std::int64_t time = times[i].active;
        if (!in_region[i])
            add_saturating(threads_[row].parallel, time);
        in_region[i] = true;
        parts.push_back(
            {thread.path_of[i], std::max<std::int64_t>(time - waiting[i], 0), waiting[i]});
    }
    add_regions_of_thread(parts);
}

void ThreadFiguresSum::add_regions_of_thread(std::vector<RegionTicks>& parts) {
    std::sort(parts.begin(), parts.end(),
              [](const RegionTicks& a, const RegionTicks& b) { return a.path < b.path; });
    std::vector<ParallelRegion>& regions = profile_.parallel_regions;
    for (std::size_t i = 0; i < parts.size();) {
        RegionTicks own = parts[i++];
        for (; i < parts.size() && parts[i].path == own.path; i++) {
            add_saturating(own.busy, parts[i].busy);
            add_saturating(own.waiting, parts[i].waiting);
        }
        std::uint32_t& index = regions_[own.path];
        if (index == no_index) {
            index = static_cast<std::uint32_t>(regions.size());
            regions.push_back({own.path});
        }
        ParallelRegion& region = regions[index];
        region.threads++;
        add_saturating(region.busy_ns, nanoseconds(own.busy));
        region.busy_max_ns = std::max(region.busy_max_ns, nanoseconds(own.busy));
        add_saturating(region.waiting_ns, nanoseconds(own.waiting));
    }
}

void ThreadFiguresSum::finish_path(Path& path, const PathTicks& ticks) const {
    path.calls = ticks.calls;
    path.samples = ticks.samples;
    path.page_faults = ticks.page_faults;
    path.inclusive_ns = nanoseconds(ticks.inclusive);
    path.exclusive_ns = nanoseconds(ticks.exclusive);
    path.kernel_ns = nanoseconds(ticks.kernel);
    path.raw_inclusive_ns = nanoseconds(ticks.raw_inclusive);
    path.raw_exclusive_ns = nanoseconds(ticks.raw_exclusive);
    path.overhead_ns = nanoseconds(ticks.cost);
    auto error = [&](double variance, std::int64_t correction) {
        return nanoseconds(
            std::hypot(std::sqrt(variance), uncertainty_ * static_cast<double>(correction)));
    };
    path.inclusive_error_ns = error(ticks.inclusive_variance, ticks.inclusive_correction);
    path.exclusive_error_ns = error(ticks.exclusive_variance, ticks.exclusive_correction);
}

void ThreadFiguresSum::finish() {
    for (std::size_t i = 1; i < paths_.size(); i++)
        finish_path(profile_.paths[i], paths_[i]);
    sum_up_tasks(profile_);
    for (std::size_t i = 0; i < filtered_.size(); i++) {
        FilteredFunction& function = profile_.filtered[i];
        function.calls = filtered_[i].calls;
        function.exclusive_ns = nanoseconds(filtered_[i].exclusive);
        function.overhead_ns = nanoseconds(filtered_[i].cost);
    }
    for (std::size_t i = 0; i < threads_.size(); i++) {
        ThreadFigures& thread = profile_.threads[i];
        thread.time_ns = nanoseconds(threads_[i].time);
        thread.parallel_ns = nanoseconds(threads_[i].parallel);
        thread.waiting_ns = nanoseconds(threads_[i].waiting);
        thread.lifetime_ns = nanoseconds(threads_[i].lifetime);
    }
    for (ParallelRegion& region : profile_.parallel_regions)
        region.entries = paths_[region.path].calls;
    std::sort(profile_.parallel_regions.begin(), profile_.parallel_regions.end(),
              [](const ParallelRegion& a, const ParallelRegion& b) { return a.path < b.path; });
    finish_thread_paths();
}

// One element per thread and path, in nanoseconds; none if there is only one thread, whose figures
// are those of the paths.
void ThreadFiguresSum::finish_thread_paths() {
    std::vector<ThreadPath>& all = profile_.thread_paths;
    if (threads_.size() < 2) {
        all = {};
        return;
    }
    std::sort(all.begin(), all.end(), [](const ThreadPath& a, const ThreadPath& b) {
        return std::tie(a.thread, a.path) < std::tie(b.thread, b.path);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size();) {
        ThreadPath sum = all[i++];
        for (; i < all.size() && all[i].thread == sum.thread && all[i].path == sum.path; i++) {
            sum.calls += all[i].calls;
            add_saturating(sum.inclusive_ns, all[i].inclusive_ns);
            add_saturating(sum.exclusive_ns, all[i].exclusive_ns);
        }
        sum.inclusive_ns = nanoseconds(sum.inclusive_ns);
        sum.exclusive_ns = nanoseconds(sum.exclusive_ns);
        if (sum.calls != 0 || sum.inclusive_ns != 0 || sum.exclusive_ns != 0)
            all[kept++] = sum;
    }
    all.resize(kept);
}

}  // namespace vftrace
