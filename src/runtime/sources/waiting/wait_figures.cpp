#include "waiting/wait_figures.hpp"

#include "base/relaxed.hpp"
#include "record/open_calls.hpp"

namespace vftrace {

constexpr SideFigures<PathWaitFigures> path_wait_figures = [] {
    SideFigures<PathWaitFigures> made{};
    SideColumn* column = made.columns.data();
    for (const MetricId metric : {MetricId::waiting_time, MetricId::waiting_waits})
        for (std::uint16_t kind = 1; kind <= wait_kinds; kind++)
            *column++ = {metric, kind};
    for (const MetricId metric :
         {MetricId::waiting_longest, MetricId::waiting_preempted, MetricId::waiting_preemptions})
        *column++ = {metric};
    return made;
}();

constexpr SideFigures<ThreadWaitFigures> thread_wait_figures{{{{MetricId::waiting_watched},
                                                               {MetricId::waiting_running},
                                                               {MetricId::waiting_waited},
                                                               {MetricId::waiting_displaced},
                                                               {MetricId::waiting_reports_lost}}}};

void book_absence(const Absence& absence, PathWaitFigures* path, ThreadWaitFigures& thread,
                  WaitKind kind) {
    const std::uint64_t ns = absence.to_ns > absence.from_ns ? absence.to_ns - absence.from_ns : 0;
    const bool waited = absence.why == Out::waits;
    add_relaxed(waited ? thread.waited : thread.displaced, ns);
    if (!path)
        return;
    if (!waited) {
        add_relaxed(path->preempted, ns);
        add_relaxed(path->preemptions, 1);
        return;
    }
    const std::size_t place = static_cast<std::size_t>(kind) - 1;
    add_relaxed(path->time[place], ns);
    add_relaxed(path->waits[place], 1);
    if (ns > path->longest)
        set_shared(path->longest, ns);
}

WaitKind kind_of_node(const Node& node) {
    switch (node.kind) {
    case NodeKind::mpi:
        return WaitKind::mpi;
    case NodeKind::openmp:
        return WaitKind::openmp;
    case NodeKind::gpu:
        return WaitKind::gpu;
    default:
        return WaitKind::not_seen;
    }
}

const Node& innermost_node(const ThreadRecord& record) {
    const Node* innermost = record.root;
    for (const StackSegment* segment = record.segments; segment; segment = segment->next)
        if (!relaxed(segment->suspended_at))
            visit_open_calls(*segment, {},
                             [&](const Frame&, const Node& node, const Node*, const OpenCalls&) {
                                 innermost = &node;
                             });
    return *innermost;
}

PathWaitFigures* row_for_other_thread(ThreadRecord& record, const Node& node) {
    SideTable* const table = make_process_values(path_wait_figures.columns);
    if (!table)
        return nullptr;
    table->first->node = &node;
    table->next = __atomic_load_n(&record.side_tables, __ATOMIC_ACQUIRE);
    __atomic_store_n(&record.side_tables, table, __ATOMIC_RELEASE);
    return reinterpret_cast<PathWaitFigures*>(table->first->values());
}

}  // namespace vftrace
