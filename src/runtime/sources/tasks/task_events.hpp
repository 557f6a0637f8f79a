// Events of asynchronous tasks: created, run, paused, ended.
#pragma once

#include <cstdint>

struct vftrace_task_handler;
struct vftrace_task_leaving;

namespace vftrace {

enum class TaskEnd : std::uint8_t { completed, failed, cancelled };

// See the functions of vftrace/tasks.h.
std::uint64_t create_task(const char* type, const char* file, int line);
std::uint64_t create_coroutine(const char* function, const char* file, std::uint32_t line,
                               const char* const* internal_files);
std::uint64_t create_handler(const vftrace_task_handler* handler);
void run_task(std::uint64_t id);
void note_ready(std::uint64_t id, std::uint64_t ns_ago);
void pause_task(std::uint64_t id);
void begin_leaving_task(std::uint64_t id, vftrace_task_leaving* leaving);
void end_leaving_task(const vftrace_task_leaving* leaving);
void stay_in_task(const vftrace_task_leaving* leaving);
void end_task(std::uint64_t id, TaskEnd how);
bool is_live_task(std::uint64_t id);

}  // namespace vftrace
