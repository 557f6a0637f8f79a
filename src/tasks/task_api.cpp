// The public functions of vftrace/tasks.h.
#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include "tasks/task_events.hpp"

namespace vftrace {
namespace {

void complete(std::uint64_t id) { end_task(id, TaskEnd::completed); }
void fail(std::uint64_t id) { end_task(id, TaskEnd::failed); }
void cancel(std::uint64_t id) { end_task(id, TaskEnd::cancelled); }
int is_live(std::uint64_t id) { return is_live_task(id); }

constexpr struct vftrace_task_calls calls = {.bytes = sizeof calls,
                                             .create = create_task,
                                             .run = run_task,
                                             .pause = pause_task,
                                             .complete = complete,
                                             .fail = fail,
                                             .cancel = cancel,
                                             .create_at = create_coroutine,
                                             .leave = begin_leaving_task,
                                             .left = end_leaving_task,
                                             .stay = stay_in_task,
                                             .is_live = is_live};

}  // namespace
}  // namespace vftrace

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

VFTRACE_API const struct vftrace_task_calls* vftrace_task_calls(void) { return &vftrace::calls; }

// For Fortran, and for programs that are always linked with the library.
VFTRACE_API vftrace_task_id vftrace_task_create(const char* type, const char* file, int line) {
    return vftrace::create_task(type, file, line);
}
VFTRACE_API vftrace_task_id vftrace_task_create_at(const char* function, const char* file,
                                                   unsigned int line,
                                                   const char* const* internal_files) {
    return vftrace::create_coroutine(function, file, line, internal_files);
}
VFTRACE_API void vftrace_task_run(vftrace_task_id id) { vftrace::run_task(id); }
VFTRACE_API void vftrace_task_pause(vftrace_task_id id) { vftrace::pause_task(id); }
VFTRACE_API void vftrace_task_leave(vftrace_task_id id, struct vftrace_task_leaving* leaving) {
    vftrace::begin_leaving_task(id, leaving);
}
VFTRACE_API void vftrace_task_left(const struct vftrace_task_leaving* leaving) {
    vftrace::end_leaving_task(leaving);
}
VFTRACE_API void vftrace_task_stay(const struct vftrace_task_leaving* leaving) {
    vftrace::stay_in_task(leaving);
}
VFTRACE_API void vftrace_task_complete(vftrace_task_id id) { vftrace::complete(id); }
VFTRACE_API void vftrace_task_fail(vftrace_task_id id) { vftrace::fail(id); }
VFTRACE_API void vftrace_task_cancel(vftrace_task_id id) { vftrace::cancel(id); }
VFTRACE_API int vftrace_task_is_live(vftrace_task_id id) { return vftrace::is_live(id); }
