// Says which task blocks its event loop: one that runs for long without a pause. Looks at the
// frames of threads from the outside, as the live print of sections does.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_blocked_loops(const Options& options);

// It is to be watched whether loops are blocked, and nobody does so yet.
extern bool loops_are_to_be_watched;
void watch_loops();

// A task is created: from now on there may be loops.
inline void task_is_created() {
    if (__atomic_load_n(&loops_are_to_be_watched, __ATOMIC_RELAXED)) [[unlikely]]
        watch_loops();
}

// In a child of fork.
void forget_blocked_loops();
// The run is over, and so is the work of the service thread.
void end_blocked_loops();

}  // namespace vftrace
