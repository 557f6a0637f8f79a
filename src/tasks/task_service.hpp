// Starts and ends the work of the library's own threads on the figures of tasks.
#pragma once

#include "base/relaxed.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

// In run_guarded().
void prepare_task_service(const Options& options);

// Whether there is nothing to start any more in this process.
extern bool task_service_is_started;
void start_task_service();

// A task has been created.
inline void note_tasks() {
    if (!shared(task_service_is_started)) [[unlikely]]
        start_task_service();
}

// In a child of fork.
void forget_task_service();
// The run is over.
void end_task_service();

}  // namespace vftrace
