// Events of asynchronous tasks: created, run, paused, ended (doc/design/tasks.md).
#include "tasks/task_events.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "record/duration_bins.hpp"
#include "tasks/live_tasks.hpp"
#include "tasks/task_processor.hpp"
#include "tasks/task_service.hpp"
#include "tasks/task_trace.hpp"
#include "tasks/task_types.hpp"
#include "tree/frames.hpp"
#include "tree/grafts.hpp"
#include "tree/pause.hpp"
#include "tree/registry.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"
#include "tree/source.hpp"

namespace vftrace {
namespace {

static_assert(internal_task_bit == VFTRACE_DETAIL_INTERNAL_TASK);

bool active;

// The task that runs on this thread.
__thread Task* current __attribute__((tls_model("initial-exec")));
// Ticks of all runs of tasks on this thread that are over.
__thread std::uint64_t ticks_of_tasks __attribute__((tls_model("initial-exec")));

struct TaskFigures {
    std::uint64_t created, completed, failed, cancelled, stillborn, pauses;
    std::uint64_t paused, wall, longest, longest_run, longest_ready;  // ticks
    std::uint64_t runs[duration_bins], ready[duration_bins];
};
constexpr SideFigures<TaskFigures> figures = [] {
    SideFigures<TaskFigures> made{{{{MetricId::task_created},
                                    {MetricId::task_completed},
                                    {MetricId::task_failed},
                                    {MetricId::task_cancelled},
                                    {MetricId::task_stillborn},
                                    {MetricId::task_pauses},
                                    {MetricId::task_paused, 0, SideValue::ticks},
                                    {MetricId::task_wall, 0, SideValue::ticks},
                                    {MetricId::task_longest, 0, SideValue::ticks},
                                    {MetricId::task_longest_run, 0, SideValue::ticks},
                                    {MetricId::task_longest_ready, 0, SideValue::ticks}}}};
    SideColumn* column = made.columns.data() + offsetof(TaskFigures, runs) / sizeof(std::uint64_t);
    for (const MetricId metric : {MetricId::task_runs, MetricId::task_ready})
        for (std::uint16_t bin = 1; bin <= duration_bins; bin++)
            *column++ = {metric, bin};
    return made;
}();

// The length of a tick as it is known at the first call: well enough for bins.
double length_of_tick() {
    static double known;
    double ns = relaxed(known);
    if (ns == 0) [[unlikely]] {
        const ClockReading& start = process_record->start;
        const std::uint64_t ticks = processor_ticks() - start.ticks;
        ns = tree_settings.processor_ticks && ticks > 0
                 ? static_cast<double>(monotonic_ns() - start.ns) / static_cast<double>(ticks)
                 : 1;
        set_shared(known, ns);
    }
    return ns;
}

void count_duration(std::uint64_t (&bins)[duration_bins], std::uint64_t ticks) {
    const auto ns = static_cast<std::uint64_t>(length_of_tick() * static_cast<double>(ticks));
    add_relaxed(bins[duration_bin(ns) - 1], 1);
}

// Calls change(TaskFigures&) for the row of `node`, which belongs to the calling thread's tree.
template <class Change>
[[gnu::always_inline]] inline void book(ThreadState& state, const Node* node, std::uintptr_t stack,
                                        Change change) {
    if (!node)
        return;
    if (TaskFigures* row = figures.known(state, *node)) [[likely]]
        return change(*row);
    SlowPath guard(state, stack);
    if (TaskFigures* row = figures.of(state, node))
        change(*row);
}

// The node as which tasks of this type are shown if they are created now. `is_own`: whether it is
// in the calling thread's tree.
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

// The node of the calling thread's tree whose row has the figures of the task.
Node* place_of(const ThreadState& state, const Task& task, std::uintptr_t stack) {
    if (task.is_internal)
        return nullptr;
    return task.tree == state.record ? task.node : graft_of(task.node, stack);
}

// The task with this id; nullptr if there is none. To be called after recording_state_slowly(), in
// which a child of fork forgets its parent's tasks.
Task* find_live_task(std::uint64_t id) {
    Task* task = task_of(id);
    return task && is_alive(present_state(*task, id)) ? task : nullptr;
}

// The same, with a message if there is none.
Task* live_task(std::uint64_t id, const char* what) {
    if (Task* task = find_live_task(id))
        return task;
    VFTRACE_MESSAGE_ONCE("a task that has already ended, or belongs to another process, cannot be "
                         "%s: ignored (reported once)",
                         what);
    return nullptr;
}

struct OpenRun {
    Task* outer;
    std::uint64_t started, others;
};
// nullptr: so that the thread that has run the task until now does not mistake it for its own when
// another one starts to run it.
void set_runner(Task& task, const void* runner) { set_shared(task.runner, runner); }

OpenRun run_of(const Task& task) { return {task.outer, task.run_started, task.others}; }

// A run on this thread is over. Returns its ticks, without those of tasks that ran inside.
std::uint64_t end_run(const OpenRun& run, std::uint64_t now) {
    current = run.outer;
    if (!run.outer)
        note_end_of_run(std::min(run.started, now), now);
    const std::uint64_t all = now - std::min(run.started, now);
    const std::uint64_t own = all - std::min(ticks_of_tasks - run.others, all);
    ticks_of_tasks += own;
    return own;
}

// Records the end of a run that took `ticks`, of a task that took `own` ticks in all. Only the node
// of the task may be left.
[[gnu::always_inline]] inline void book_run(ThreadState& state, Node* place, std::uintptr_t stack,
                                            std::uint64_t pauses, std::uint64_t ticks,
                                            std::uint64_t own) {
    book(state, place, stack, [&](TaskFigures& row) {
        add_relaxed(row.pauses, pauses);
        count_duration(row.runs, ticks);
        set_shared(row.longest, std::max(row.longest, own));
        set_shared(row.longest_run, std::max(row.longest_run, ticks));
    });
}

// The same for a task that still exists: if it is internal, its runs are those of its creator.
void book_run_of(ThreadState& state, Task& task, std::uintptr_t stack, std::uint64_t pauses,
                 std::uint64_t ticks) {
    if (!task.is_internal)
        return book_run(state, place_of(state, task, stack), stack, pauses, ticks,
                        plain_read(task.own));
    // Another thread may end it meanwhile.
    Task* creator = hold_task(task.creator);
    if (!creator)
        return;
    const std::uint64_t own = __atomic_add_fetch(&creator->own, ticks, __ATOMIC_RELAXED);
    book_run(state, place_of(state, *creator, stack), stack, 0, ticks, own);
    end_leaving(*creator);
}

// A run begins `ticks` after the task became ready for it.
void book_ready(ThreadState& state, Task& task, std::uintptr_t stack, std::uint64_t ticks) {
    set_shared(task.ready_at, std::uint64_t{0});
    book(state, place_of(state, task, stack), stack, [&](TaskFigures& row) {
        count_duration(row.ready, ticks);
        set_shared(row.longest_ready, std::max(row.longest_ready, ticks));
    });
}

// Takes over the live task with this id; nullptr, with a message, if that is not possible.
[[gnu::always_inline]] inline Task* task_to_take_over(std::uint64_t id, TaskState& was,
                                                      const char* what) {
    Task* task = task_of(id);
    if (task && take_over(*task, id, was)) [[likely]]
        return task;
    if (live_task(id, what))
        VFTRACE_MESSAGE_ONCE(
            "a task that a thread is already running cannot be %s: ignored (reported once)", what);
    return nullptr;
}

bool runs_here(const Task& task, std::uint64_t id) {
    return present_state(task, id) == TaskState::running && plain_read(task.runner) == &current;
}

// The task with this id; nullptr, with a message, if this thread does not run it.
[[gnu::always_inline]] inline Task* task_that_runs_here(std::uint64_t id, const char* what) {
    Task* task = task_of(id);
    if (task && runs_here(*task, id)) [[likely]]
        return task;
    if (live_task(id, what))
        VFTRACE_MESSAGE_ONCE(
            "a task that does not run on this thread cannot be %s: ignored (reported once)", what);
    return nullptr;
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
    trace_task(&state, *task, TaskMoment::created, task->created);
    note_tasks();
    return id_of(*task);
}

// Internal work of a library for the task that runs here is part of that task's current work; if no
// task runs here, it does not belong to any.
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
    task->creator = current->is_internal ? current->creator : id_of(*current);
    set_shared(current->has_internal, true);
    return id_of(*task);
}

void prepare(const Options& options) {
    active = options.task_active;
    prepare_task_types(static_cast<std::uint32_t>(options.task_max_types));
    prepare_task_service(options);
}

}  // namespace

std::uint64_t create_task(const char* type, const char* file, int line) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();  // this may start the library
    if (!state || !active)
        return 0;
    return create(*state, task_type_key(*state, type, file, line, stack), stack);
}

std::uint64_t create_coroutine(const char* function, const char* file, std::uint32_t line,
                               const char* const* internal_files) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = active ? recording_state_slowly() : nullptr;
    if (!state)
        return 0;
    const std::uintptr_t key =
        coroutine_type_key(*state, function, file, line, internal_files, stack);
    return key == internal_task_key ? create_internal(*state, stack) : create(*state, key, stack);
}

std::uint64_t create_handler(const vftrace_task_handler* handler) {
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();  // this may start the library
    if (!state || !active)
        return 0;
    if (handler->is_of_any_type && (current ? current->is_internal : handler->in_completion))
        return 0;
    const std::uint64_t id = create(*state, handler_type_key(*state, *handler, stack), stack);
    if (Task* task = handler->is_ready ? task_of(id) : nullptr)
        set_shared(task->ready_at, plain_read(task->created));
    return id;
}

void run_task(std::uint64_t id) {
    if (id == 0)
        return;
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();
    TaskState was;
    Task* task = task_to_take_over(id, was, "run");
    if (!task)
        return;
    const std::uint64_t now = tree_ticks();
    set_runner(*task, &current);
    task->has_run = true;
    task->outer = current;
    task->others = ticks_of_tasks;
    task->run_started = now;
    if (!current && state)
        note_begin_of_run(*state, now);
    current = task;
    if (was == TaskState::paused) {
        const std::uint64_t since = plain_read(task->paused_at);
        task->paused += now - std::min(since, now);
    }
    trace_task(state, *task, TaskMoment::run, now);
    if (const std::uint64_t ready = relaxed(task->ready_at); ready != 0 && state)
        book_ready(*state, *task, stack, now - std::min(ready, now));
    if (state)
        enter_graft_at(task->node, place_in_caller(*state, stack), now);
}

void note_ready(std::uint64_t id, std::uint64_t ns_ago) {
    if (id == 0 || !recording_state_slowly())
        return;
    Task* task = find_live_task(id);
    if (!task)
        return;
    if (ns_ago == VFTRACE_TASK_NOT_READY)
        return set_shared(task->ready_at, std::uint64_t{0});
    const auto ago = static_cast<std::uint64_t>(static_cast<double>(ns_ago) / length_of_tick());
    const std::uint64_t now = tree_ticks();
    set_shared(task->ready_at, std::max<std::uint64_t>(now - std::min(ago, now), 1));
}

void pause_task(std::uint64_t id) {
    if (id == 0)
        return;
    const std::uint64_t now = tree_ticks();
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();
    Task* task = task_that_runs_here(id, "paused");
    if (!task)
        return;
    const std::uint64_t run = end_run(run_of(*task), now);
    add_own(*task, run);
    if (state) {
        leave_graft_of(*state, task->node, place_in_caller(*state, stack), now);
        book_run_of(*state, *task, stack, 1, run);
    }
    trace_task(state, *task, TaskMoment::paused, now);
    set_shared(task->paused_at, now);
    set_runner(*task, nullptr);
    release(*task);
}

void begin_leaving_task(std::uint64_t id, vftrace_task_leaving* leaving) {
    leaving->task = 0;
    if (id == 0)
        return;
    recording_state_slowly();
    Task* task = task_that_runs_here(id, "left");
    if (!task)
        return;
    const OpenRun run = run_of(*task);
    set_runner(*task, nullptr);
    if (!begin_leaving(*task)) {
        set_runner(*task, &current);
        return pause_task(id);
    }
    *leaving = {id, run.outer, run.started, run.others};
}

void end_leaving_task(const vftrace_task_leaving* leaving) {
    if (leaving->task == 0)
        return;
    const std::uint64_t now = tree_ticks();
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();
    Task* task = task_of(leaving->task);
    if (!task || present_state(*task, leaving->task) == TaskState::free)
        return;  // in a child of fork
    const std::uint64_t run =
        end_run({static_cast<Task*>(leaving->outer), leaving->started, leaving->others}, now);
    add_own(*task, run);
    if (state) {
        leave_graft_of(*state, task->node, place_in_caller(*state, stack), now);
        book_run_of(*state, *task, stack, 1, run);
    }
    trace_task(state, *task, TaskMoment::paused, now);
    set_shared(task->paused_at, now);
    end_leaving(*task);
}

void stay_in_task(const vftrace_task_leaving* leaving) {
    Task* task = task_of(leaving->task);
    if (leaving->task == 0 || !task || present_state(*task, leaving->task) != TaskState::leaving)
        return;
    set_runner(*task, &current);
    stop_leaving(*task);
}

// For an internal coroutine whose work the awaiting task does itself: gives its slot back unused.
bool drop_internal(std::uint64_t id) {
    Task* task = id & internal_task_bit ? task_of(id) : nullptr;
    TaskState was;
    if (!task || present_state(*task, id) != TaskState::pending || !take_over(*task, id, was))
        return false;
    give_back(*task);
    return true;
}

void end_task(std::uint64_t id, TaskEnd how) {
    if (id == 0 || drop_internal(id))
        return;
    const std::uint64_t now = tree_ticks();
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();
    Task* task = task_of(id);
    std::uint64_t run = 0;
    const bool was_running = task && runs_here(*task, id);
    if (was_running) {
        run = end_run(run_of(*task), now);
        add_own(*task, run);
        if (state) {
            leave_graft_of(*state, task->node, place_in_caller(*state, stack), now);
            if (task->is_internal)
                book_run_of(*state, *task, stack, 0, run);
        }
    } else {
        TaskState was;
        task = task_to_take_over(id, was, "ended");
        if (!task)
            return;
        if (was == TaskState::paused) {
            const std::uint64_t since = plain_read(task->paused_at);
            task->paused += now - std::min(since, now);
        }
    }
    if (state)
        book(*state, place_of(*state, *task, stack), stack, [&](TaskFigures& row) {
            std::uint64_t* const ends[] = {&row.completed, &row.failed, &row.cancelled};
            add_relaxed(*ends[static_cast<std::size_t>(how)], 1);
            if (!task->has_run)
                add_relaxed(row.stillborn, 1);
            add_relaxed(row.paused, task->paused);
            add_relaxed(row.wall, now - std::min(task->created, now));
            set_shared(row.longest, std::max(row.longest, plain_read(task->own)));
            set_shared(row.longest_run, std::max(row.longest_run, run));
            if (was_running)
                count_duration(row.runs, run);
        });
    constexpr TaskMoment ends[] = {TaskMoment::completed, TaskMoment::failed,
                                   TaskMoment::cancelled};
    trace_task(state, *task, ends[static_cast<std::size_t>(how)], now);
    give_back(*task);
}

bool is_live_task(std::uint64_t id) {
    // A child of fork must not start a record because of an object of its parent.
    return id != 0 && !is_new_child() && find_live_task(id);
}

constexpr Source task_source = {.prepare = prepare,
                                .thread_ends = [](ThreadState&) { note_end_of_thread(); },
                                .forget_parent =
                                    [] {
                                        current = nullptr;
                                        forget_processor_time();
                                        forget_tasks();
                                        forget_task_types();
                                        forget_task_service();
                                    },
                                .finish =
                                    [](ThreadState*) {
                                        end_task_service();
                                        note_end_of_program();
                                    }};

}  // namespace vftrace
