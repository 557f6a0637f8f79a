#include "tasks/live_task_ranks.hpp"

#include <algorithm>
#include <cstring>

#include "base/fnv.hpp"
#include "base/relaxed.hpp"
#include "queries/live_lines.hpp"
#include "tree/grafts.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

LiveTaskRanks* known;
BoundedLock lock;

// The task of a row: its node, or the target of a graft.
const Node* task_of(const SideRow& row) {
    const Node* node = row.node;
    if (node && node->kind == NodeKind::graft)
        node = shown_above(*node);
    return node && node->kind == NodeKind::task ? node : nullptr;
}

}  // namespace

TaskTypeName parts_of(std::string_view name) {
    const std::size_t open = name.rfind(" ("), colon = name.rfind(':');
    if (!name.ends_with(')') || open == name.npos || colon == name.npos || colon < open)
        return {name, {}, {}};
    const std::string_view line = name.substr(colon + 1, name.size() - colon - 2);
    if (line.empty() || line.find_first_not_of("-0123456789") != line.npos)
        return {name, {}, {}};
    return {name.substr(0, open), name.substr(open + 2, colon - open - 2), line};
}

bool LiveTaskRanks::has_name(std::uint32_t rank, const char* name) const {
    return ranks_[rank].name == name || std::strcmp(ranks_[rank].name, name) == 0;
}

const LiveTaskRank* LiveTaskRanks::find(const char* name) const {
    const std::uint32_t rank =
        by_name_.find(fnv1a(name), [&](std::uint32_t i) { return has_name(i, name); });
    return rank == IndexTable::none ? nullptr : &ranks_[rank];
}

std::uint32_t LiveTaskRanks::rank_of(const char* name) {
    const auto next = static_cast<std::uint32_t>(ranks_.size());
    const std::uint32_t rank =
        by_name_.find_or_add(fnv1a(name), next, [&](std::uint32_t i) { return has_name(i, name); });
    if (rank == next)
        ranks_.emplace_back().name = ticks_.emplace_back().name = name;
    return rank;
}

// Converts only the ticks since the last look to nanoseconds, because the length of a tick becomes
// known more precisely with time. Threads continue while they are read, so a time may seem to be
// less than before.
void LiveTaskRanks::raise(std::uint32_t rank, double LiveTaskRank::*time, double ticks,
                          double ns_per_tick) {
    double& before = ticks_[rank].*time;
    if (ticks <= before)
        return;
    ranks_[rank].*time += ns_per_tick * (ticks - before);
    before = ticks;
}

// Adds times in ticks.
void LiveTaskRanks::add_figures(const SideTable& table, std::vector<TaskSums>& sums) {
    visit_side_rows(table, [&](const SideRow& row) {
        const Node* task = task_of(row);
        if (!task)
            return;
        const std::uint32_t rank = rank_of(region_name(task->key));
        sums.resize(ranks_.size());
        for (std::uint32_t i = 0; i < table.columns; i++) {
            const SideColumn& column = table.described()[i];
            add_value(sums[rank], number_of(relaxed(row.values()[i]), column.value, 1),
                      [&](MetricId metric, unsigned index) {
                          return metric == column.metric && index == column.index;
                      });
        }
    });
}

void LiveTaskRanks::look(std::uint64_t now) {
    index_.look(*process_record, nullptr, now);
    constexpr double second = 1e9;
    const double ns_per_tick = second * seconds_per_tick();
    index_.visit_names([&](const char* name) {
        const LiveSums times = index_.times_of(name);
        const std::uint32_t rank = rank_of(name);
        raise(rank, &LiveTaskRank::own_ns, times.self, ns_per_tick);
        raise(rank, &LiveTaskRank::with_children_ns, times.total, ns_per_tick);
    });
    std::vector<TaskSums> sums(ranks_.size());
    for (const ThreadRecord* thread = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE);
         thread; thread = thread->next)
        visit_side_tables(*thread, [&](const SideTable& table) {
            if (source_of(table) == SourceId::task)
                add_figures(table, sums);
        });
    for (std::uint32_t i = 0; i < sums.size(); i++) {
        for (const CountOfTasks& each : task_counts)
            ranks_[i].*each.count = sums[i].*each.count;
        for (const TimeOfTasks& each : task_times)
            raise(i, each.ns, sums[i].*each.ns, ns_per_tick);
    }
}

std::vector<const LiveTaskRank*> LiveTaskRanks::sorted_by(double LiveTaskRank::*ns) const {
    std::vector<const LiveTaskRank*> sorted;
    for (const LiveTaskRank& rank : ranks_)
        sorted.push_back(&rank);
    std::sort(sorted.begin(), sorted.end(), [ns](const LiveTaskRank* a, const LiveTaskRank* b) {
        return a->*ns != b->*ns ? a->*ns > b->*ns : std::strcmp(a->name, b->name) < 0;
    });
    return sorted;
}

LiveTaskRanks** begin_task_question(bool at_end) {
    const bool begun = at_end ? process_record && lock.lock() : begin_live_question(lock);
    return begun ? &known : nullptr;
}

void end_task_question(bool answered) {
    if (!answered)
        known = nullptr;
    lock.unlock();
}

void forget_live_task_ranks() { known = nullptr; }

}  // namespace vftrace
