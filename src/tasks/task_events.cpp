// What happens to asynchronous tasks: created, run, paused, ended (doc/design/tasks.md).
#include "tasks/task_events.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "tasks/live_tasks.hpp"
#include "tasks/task_types.hpp"
#include "tree/frames.hpp"
#include "tree/grafts.hpp"
#include "tree/pause.hpp"
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
    if (TaskFigures* row = figures.known(state, *node)) [[likely]]
        return change(*row);
    SlowPath guard(state, stack);
    if (TaskFigures* row = figures.of(state, node))
        change(*row);
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

// The node of the calling thread's tree to book with.
Node* place_of(const ThreadState& state, const Task& task, std::uintptr_t stack) {
    if (task.is_internal)
        return nullptr;
    return task.tree == state.record ? task.node : graft_of(task.node, stack);
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

// The run on this thread is over: its time, which is returned, is the task's. `place`: the node of
// the thread's tree to book with.
std::uint64_t end_run(ThreadState& state, Task& task, std::uint64_t now, std::uintptr_t stack,
                      Node*& place) {
    const std::uint64_t all = now - std::min(task.run_started, now);
    const std::uint64_t run = all - std::min(task.inner, all);
    task.own += run;
    if (current == &task)
        current = task.outer;
    if (current)
        current->inner += all;
    Node* const top = state.top->node;
    const bool is_on_top =
        top->kind == NodeKind::graft && top->key == reinterpret_cast<std::uintptr_t>(task.node);
    leave_graft_of(state, task.node, place_in_caller(state, stack), now);
    place = is_on_top && task.tree != state.record && !task.is_internal
                ? top
                : place_of(state, task, stack);
    return run;
}

std::uint64_t create(ThreadState& state, std::uintptr_t key, std::uintptr_t stack) {
    bool is_own = true;
    Node* node = key ? place_of_type(state, key, stack, is_own) : nullptr;
    Task* task = node ? take_task() : nullptr;
    if (!task)
        return 0;
    task->node = node;
    task->tree = is_own ? state.record : nullptr;
    task->created = tree_ticks();
    book(state, is_own ? node : graft_of(node, stack), stack,
         [](TaskFigures& row) { add_relaxed(row.created, 1); });
    return id_of(*task);
}

// What the inside of a library does for the task that runs here is part of what that is doing now;
// where none does it is nobody's.
std::uint64_t create_internal(ThreadState& state, std::uintptr_t stack) {
    if (!current)
        return 0;
    Node* node = nullptr;
    {
        SlowPath guard(state, stack);
        catch_up_with_pauses(state, 0, stack);
        if (!settle(state, stack) || state.top->start == frame_overflow)
            return 0;
        node = state.top->node;
    }
    Task* task = take_task();
    if (!task)
        return 0;
    task->node = node->kind == NodeKind::graft ? shown_above(*node) : node;
    task->is_internal = true;
    return id_of(*task);
}

}  // namespace

std::uint64_t create_task(const char* type, const char* file, int line) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = active ? recording_thread_state() : nullptr;
    if (!state)
        return 0;
    return create(*state, task_type_key(*state, type, file, line, stack), stack);
}

std::uint64_t create_coroutine(const char* function, const char* file, std::uint32_t line,
                               const char* const* internal_files) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = active ? recording_thread_state() : nullptr;
    if (!state)
        return 0;
    const std::uintptr_t key =
        coroutine_type_key(*state, function, file, line, internal_files, stack);
    return key == internal_task_key ? create_internal(*state, stack) : create(*state, key, stack);
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
    const std::uint64_t now = tree_ticks();
    task->run_started = now;
    if (was_paused)
        task->paused += task->run_started - std::min(task->paused_at, task->run_started);
    if (state)
        enter_graft_at(task->node, place_in_caller(*state, stack), now);
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
        Node* place = nullptr;
        const std::uint64_t run = end_run(*state, *task, now, stack, place);
        book(*state, place, stack, [&](TaskFigures& row) {
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
    Node* place = nullptr;
    if (present_state(*task, id) == TaskState::running && task->runner == &current) {
        if (state)
            run = end_run(*state, *task, now, stack, place);
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
            place = place_of(*state, *task, stack);
    }
    if (state)
        book(*state, place, stack, [&](TaskFigures& row) {
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
            forget_task_types();
        }};

}  // namespace vftrace
