// The public functions of vftrace/tasks.h.
#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/live_task_ranks.hpp"
#include "tasks/task_events.hpp"
#include "tasks/task_snapshots.hpp"

namespace vftrace {
namespace {

void complete(std::uint64_t id) { end_task(id, TaskEnd::completed); }
void fail(std::uint64_t id) { end_task(id, TaskEnd::failed); }
void cancel(std::uint64_t id) { end_task(id, TaskEnd::cancelled); }
int is_live(std::uint64_t id) { return is_live_task(id); }

vftrace_task_rank rank_for_c(const LiveTaskRank& rank, const TaskTypeName& name) {
    constexpr double second = 1e9;
    return {.type = nullptr,
            .file = nullptr,
            .line = std::atoi(std::string(name.line).c_str()),
            .own_s = rank.own_ns / second,
            .with_children_s = rank.with_children_ns / second,
            .wall_s = rank.wall_ns / second,
            .paused_s = rank.paused_ns / second,
            .longest_task_s = rank.longest_ns / second,
            .longest_run_s = rank.longest_run_ns / second,
            .created = rank.created,
            .completed = rank.completed,
            .failed = rank.failed,
            .cancelled = rank.cancelled,
            .stillborn = rank.stillborn,
            .pauses = rank.pauses};
}

char* append(char* to, std::string_view text) {
    text.copy(to, text.size());
    to[text.size()] = '\0';
    return to + text.size() + 1;
}

// One block of memory: the figures, followed by the texts.
vftrace_task_rank* block_of(const std::vector<const LiveTaskRank*>& ranks) {
    std::size_t bytes = ranks.size() * sizeof(vftrace_task_rank);
    for (const LiveTaskRank* rank : ranks)
        bytes += std::strlen(rank->name) + 2;  // type and file: parts of the name, and two NULs
    auto* block = static_cast<vftrace_task_rank*>(std::malloc(bytes));
    char* text = block ? reinterpret_cast<char*>(block + ranks.size()) : nullptr;
    for (std::size_t i = 0; block && i < ranks.size(); i++) {
        const TaskTypeName name = parts_of(ranks[i]->name);
        block[i] = rank_for_c(*ranks[i], name);
        block[i].type = text;
        text = append(text, name.type);
        block[i].file = text;
        text = append(text, name.file);
    }
    return block;
}

vftrace_task_rank* task_ranks(std::size_t* count) {
    vftrace_task_rank* block = nullptr;
    *count = 0;
    ask_tasks([&](const LiveTaskRanks& ranks, std::uint64_t) {
        if (!ranks.all().empty())
            block = block_of(ranks.sorted_by(&LiveTaskRank::own_ns));
        if (block)
            *count = ranks.all().size();
    });
    return block;
}

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
                                             .is_live = is_live,
                                             .ranks = task_ranks,
                                             .snapshot = task_snapshot,
                                             .create_handler = create_handler,
                                             .ready = note_ready};

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
VFTRACE_API vftrace_task_id
vftrace_task_create_handler(const struct vftrace_task_handler* handler) {
    return vftrace::create_handler(handler);
}
VFTRACE_API void vftrace_task_ready(vftrace_task_id id, uint64_t ns_ago) {
    vftrace::note_ready(id, ns_ago);
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
VFTRACE_API struct vftrace_task_rank* vftrace_task_ranks(size_t* count) {
    return vftrace::task_ranks(count);
}
VFTRACE_API int vftrace_task_snapshot(void) { return vftrace::task_snapshot(); }
