// The chain of work that determines the duration of the run: followed from its end back to its
// beginning, from each rank that waited to the one that it waited for. For tools.
//
//   rank 0  ======MPI_Recv~~~~~~~|=========>   the end: on the path from | on
//   rank 1  =====================^send ====>   on the path up to here
#pragma once

#include <cstdint>

#include "waits/run_traces.hpp"
#include "waits/spilled_list.hpp"
#include "waits/wait.hpp"

namespace vftrace {

// A stretch of the critical path.
struct CriticalStretch {
    std::uint32_t rank, thread;
    std::int64_t begin, end;
};

// `waits` are sorted by their ends. Adds stretches, beginning with the last one; there are no gaps
// between them.
void walk_critical_path(const RunTraces& traces, const SpilledList<FoundWait>& waits,
                        SpilledList<CriticalStretch>& stretches);

}  // namespace vftrace
