// The figures of the source `waiting`: of paths and of threads.
#pragma once

#include <cstdint>

#include "record/wait_kinds.hpp"
#include "tree/side_tables.hpp"

namespace vftrace {

struct PathWaitFigures {
    std::uint64_t time[wait_kinds], waits[wait_kinds];
    std::uint64_t longest, preempted, preemptions;
};
extern const SideFigures<PathWaitFigures> path_wait_figures;

struct ThreadWaitFigures {
    std::uint64_t watched, running, waited, displaced, reports_lost;
};
extern const SideFigures<ThreadWaitFigures> thread_wait_figures;

// Why a thread is not on a processor.
enum class Out : std::uint8_t { no, waits, displaced };
struct Absence {
    Out why;
    std::uint64_t from_ns, to_ns;
};

// Adds an absence to the figures. `path`: nullptr without memory. `kind`: if the thread waited.
void book_absence(const Absence& absence, PathWaitFigures* path, ThreadWaitFigures& thread,
                  WaitKind kind);

// The kind of all waits in a node; not_seen: they may be of any kind.
WaitKind kind_of_node(const Node& node);

// The innermost function that is open on a thread, which may continue.
const Node& innermost_node(const ThreadRecord& record);

// A row for a path of another thread, in a table of its own, because only that thread may change
// its tables. nullptr without memory.
PathWaitFigures* row_for_other_thread(ThreadRecord& record, const Node& node);

}  // namespace vftrace
