/* vftrace/task_ranks.hpp: the figures of asynchronous tasks in the running program, for C++11 and
 * later.
 *
 * Example
 *
 *     #include <vftrace/task_ranks.hpp>
 *
 *     for (const vftrace::task_rank& rank : vftrace::task_ranks())
 *         std::cout << rank.type << ": " << rank.own_s << " s, " << rank.created << " tasks\n";
 *
 * vftrace/tasks.h, which is included, says what a task is, and what happens without the library. */
#ifndef VFTRACE_TASK_RANKS_HPP
#define VFTRACE_TASK_RANKS_HPP

#include "tasks.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace vftrace {

/* The figures of all tasks of one type: as struct vftrace_task_rank, which documents the members,
 * but with strings of its own. */
struct task_rank {
    std::string type, file;
    int line;
    double own_s, with_children_s, wall_s, paused_s, longest_task_s, longest_run_s;
    std::uint64_t created, completed, failed, cancelled, stillborn, pauses;
};

/* Returns the current figures of all types of tasks, the one with the most own time first; empty
 * without the library or if nothing is recorded. May be called on any thread, but not in signal
 * handlers. Throws std::bad_alloc. */
inline std::vector<task_rank> task_ranks() {
    std::size_t count = 0;
    const std::unique_ptr<::vftrace_task_rank[], void (*)(void*)> found(
        ::vftrace_task_ranks(&count), std::free);
    std::vector<task_rank> ranks;
    ranks.reserve(count);
    for (std::size_t i = 0; i < count; i++) {
        const ::vftrace_task_rank& one = found[i];
        ranks.push_back({one.type, one.file, one.line, one.own_s, one.with_children_s, one.wall_s,
                         one.paused_s, one.longest_task_s, one.longest_run_s, one.created,
                         one.completed, one.failed, one.cancelled, one.stillborn, one.pauses});
    }
    return ranks;
}

}  // namespace vftrace

#endif
