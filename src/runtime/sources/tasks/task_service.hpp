// Starts and ends the work of the library's threads on the figures of tasks.
#pragma once

#include "base/relaxed.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

// To be called in run_guarded().
void prepare_task_service(const Options& options);

// Whether everything has been started in this process.
extern bool task_service_is_started;
void start_task_service();

// To be called when a task has been created.
inline void note_tasks() {
    if (!plain_read(task_service_is_started)) [[unlikely]]
        start_task_service();
}

// In a child of fork.
void forget_task_service();
// To be called at the end of the run.
void end_task_service();

}  // namespace vftrace
