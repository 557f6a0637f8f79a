// What happens to asynchronous tasks: created, run, paused, ended (doc/design/tasks.md).
#include "tasks/task_events.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "tasks/live_tasks.hpp"
#include "tree/grafts.hpp"
#include "tree/region_names.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"
#include "tree/source.hpp"

namespace vftrace {
namespace {

bool active;

// The task that runs on this thread.
__thread Task* current __attribute__((tls_model("initial-exec")));

struct TaskFigures {
    std::uint64_t created, completed, failed, cancelled, stillborn, pauses;
    std::uint64_t paused, wall, longest, longest_run;  // ticks
};
constexpr SideFigures<TaskFigures> figures{{{{MetricId::task_created},
                                             {MetricId::task_completed},
                                             {MetricId::task_failed},
                                             {MetricId::task_cancelled},
                                             {MetricId::task_stillborn},
                                             {MetricId::task_pauses},
                                             {MetricId::task_paused, 0, SideValue::ticks},
                                             {MetricId::task_wall, 0, SideValue::ticks},
                                             {MetricId::task_longest, 0, SideValue::ticks},
                                             {MetricId::task_longest_run, 0, SideValue::ticks}}}};

// Books with the row of `node`, which is of the calling thread's tree: change(TaskFigures&).
template <class Change>
void book(ThreadState& state, const Node* node, std::uintptr_t stack, Change change) {
    if (!node)
        return;
    SlowPath guard(state, stack);
    if (TaskFigures* row = figures.of(state, node))
        change(*row);
}

// The key of "type (file:line)".
std::uintptr_t key_of_type(ThreadState& state, const char* type, const char* file, int line,
                           std::uintptr_t stack) {
    constexpr std::size_t longest = 1000;
    char name[longest];
    if (!type || !*type)
        type = "(task without a name)";
    if (file && *file) {
        const char* slash = std::strrchr(file, '/');
        std::snprintf(name, sizeof name, "%.800s (%.150s:%d)", type, slash ? slash + 1 : file,
                      line);
    } else {
        std::snprintf(name, sizeof name, "%.900s", type);
    }
    SlowPath guard(state, stack);
    return region_key(name, state.arena);
}

// Where tasks of this type that are created now are shown. `is_own`: that is in the calling
// thread's tree.
Node* place_of_type(ThreadState& state, std::uintptr_t key, std::uintptr_t stack, bool& is_own) {
    is_own = true;
    if (Node* node = known_callee(state, key, stack))
        return node;
    Node* nearest = nullptr;
    bool nearest_is_own = true, here = true;
    std::uint32_t found = 0;
    for (Node* node = state.top->node; node; node = shown_above(*node)) {
        if (node->kind == NodeKind::task && node->key == key && found++ == 0) {
            nearest = node;
            nearest_is_own = here;
        }
        here &= node->kind != NodeKind::graft;
    }
    if (found >= tree_settings.max_recursion && nearest) {
        is_own = nearest_is_own;
        return nearest;
    }
    return make_place(key, NodeKind::task, stack);
}

Node* graft_of(const Node* node, std::uintptr_t stack) {
    return make_place(reinterpret_cast<std::uintptr_t>(node), NodeKind::graft, stack);
}

// The task of this id; nullptr, and a message, if there is none. To be called after
// recording_thread_state(): a child of fork forgets its parent's tasks there.
Task* live_task(std::uint64_t id, const char* what) {
    Task* task = task_of(id);
    if (task && present_state(*task, id) != TaskState::free)
        return task;
    VFTRACE_MESSAGE_ONCE("a task is %s that has ended already, or is not of this process; ignored "
                         "(reported once)",
                         what);
    return nullptr;
}

void say_it_runs(const char* what) {
    VFTRACE_MESSAGE_ONCE("a task is %s while another thread, or this one, runs it; ignored "
                         "(reported once)",
                         what);
}

// The run on this thread is over: its time is the task's. Returns the graft that was open.
Node* end_run(ThreadState& state, Task& task, std::uint64_t now, std::uintptr_t stack,
              std::uint64_t& run) {
    const std::uint64_t all = now - std::min(task.run_started, now);
    run = all - std::min(task.inner, all);
    task.own += run;
    if (current == &task)
        current = task.outer;
    if (current)
        current->inner += all;
    Node* const top = state.top->node;
    const bool is_on_top =
        top->kind == NodeKind::graft && top->key == reinterpret_cast<std::uintptr_t>(task.node);
    leave_graft_of(state, task.node, place_in_caller(state, stack));
    return is_on_top ? top : graft_of(task.node, stack);
}

}  // namespace

std::uint64_t create_task(const char* type, const char* file, int line) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = active ? recording_thread_state() : nullptr;
    if (!state)
        return 0;
    const std::uintptr_t key = key_of_type(*state, type, file, line, stack);
    bool is_own = true;
    Node* node = key ? place_of_type(*state, key, stack, is_own) : nullptr;
    Task* task = node ? take_task() : nullptr;
    if (!task)
        return 0;
    task->node = node;
    task->created = tree_ticks();
    book(*state, is_own ? node : graft_of(node, stack), stack,
         [](TaskFigures& row) { add_relaxed(row.created, 1); });
    return id_of(*task);
}

void run_task(std::uint64_t id) {
    if (id == 0)
        return;
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_thread_state();
    Task* task = live_task(id, "run");
    if (!task)
        return;
    const bool was_paused = move_state(*task, id, TaskState::paused, TaskState::running);
    if (!was_paused && !move_state(*task, id, TaskState::pending, TaskState::running))
        return say_it_runs("run");
    task->runner = &current;
    task->runs++;
    task->inner = 0;
    task->outer = current;
    current = task;
    task->run_started = tree_ticks();
    if (was_paused)
        task->paused += task->run_started - std::min(task->paused_at, task->run_started);
    if (state)
        enter_graft(task->node, place_in_caller(*state, stack));
}

void pause_task(std::uint64_t id) {
    if (id == 0)
        return;
    const std::uint64_t now = tree_ticks();
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_thread_state();
    Task* task = live_task(id, "paused");
    if (!task)
        return;
    if (present_state(*task, id) != TaskState::running || task->runner != &current) {
        VFTRACE_MESSAGE_ONCE("a task is paused that does not run on this thread; ignored (reported "
                             "once)");
        return;
    }
    if (state) {
        std::uint64_t run = 0;
        Node* graft = end_run(*state, *task, now, stack, run);
        book(*state, graft, stack, [&](TaskFigures& row) {
            add_relaxed(row.pauses, 1);
            set_shared(row.longest, std::max(row.longest, task->own));
            set_shared(row.longest_run, std::max(row.longest_run, run));
        });
    } else if (current == task) {
        current = task->outer;
    }
    task->pauses++;
    task->paused_at = now;
    move_state(*task, id, TaskState::running, TaskState::paused);
}

void end_task(std::uint64_t id, TaskEnd how) {
    if (id == 0)
        return;
    const std::uint64_t now = tree_ticks();
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_thread_state();
    Task* task = live_task(id, "ended");
    if (!task)
        return;
    std::uint64_t run = 0;
    Node* graft = nullptr;
    if (present_state(*task, id) == TaskState::running && task->runner == &current) {
        if (state)
            graft = end_run(*state, *task, now, stack, run);
        else if (current == task)
            current = task->outer;
    } else {
        // Who has made it `running` may do with it what there is to do.
        const bool was_paused = move_state(*task, id, TaskState::paused, TaskState::running);
        if (!was_paused && !move_state(*task, id, TaskState::pending, TaskState::running))
            return say_it_runs("ended");
        if (was_paused)
            task->paused += now - std::min(task->paused_at, now);
        if (state)
            graft = graft_of(task->node, stack);
    }
    if (state)
        book(*state, graft, stack, [&](TaskFigures& row) {
            std::uint64_t* const ends[] = {&row.completed, &row.failed, &row.cancelled};
            add_relaxed(*ends[static_cast<std::size_t>(how)], 1);
            if (task->runs == 0)
                add_relaxed(row.stillborn, 1);
            add_relaxed(row.paused, task->paused);
            add_relaxed(row.wall, now - std::min(task->created, now));
            set_shared(row.longest, std::max(row.longest, task->own));
            set_shared(row.longest_run, std::max(row.longest_run, run));
        });
    give_back(*task);
}

constexpr Source task_source = {
    .prepare = [](const Options& options) { active = options.task_active; },
    .forget_parent =
        [] {
            current = nullptr;
            forget_tasks();
        }};

}  // namespace vftrace
