/* vftrace/tasks.h: asynchronous tasks (callbacks, futures, custom schedulers), for C (C99 and
 * later) and C++; vftrace/tasks.hpp has tasks that are C++ objects.
 *
 * A task is a piece of work that is created in one place and executed in others, in one or several
 * runs with pauses in between. The profile shows it below the call path that created it, wherever
 * it runs: its time is not added to the event loop or to the code that waits for it.
 *
 * Example
 *
 *     #include <vftrace/tasks.h>
 *
 *     request->task = vftrace_task_create("read request", __FILE__, __LINE__);
 *     start_reading(request, on_data);
 *     ...
 *     void on_data(struct request *request) {
 *         vftrace_task_run(request->task);
 *         int complete = parse(request);
 *         if (complete)
 *             vftrace_task_complete(request->task);
 *         else
 *             vftrace_task_pause(request->task);
 *     }
 *
 * A program that includes this header links and runs without the library: see vftrace/sections.h. A
 * program that uses only tasks and links libvftrace.a statically needs
 * -Wl,--undefined=vftrace_task_calls.
 *
 * All functions may be called at any time, on any thread and, except for vftrace_task_ranks() and
 * vftrace_task_snapshot(), in signal handlers. None of them ever ends the program; a mistake in
 * their use (a task that is completed twice, or that two threads run at once) is reported once on
 * stderr and changes nothing. A child of fork has only the tasks that it creates itself. */
#ifndef VFTRACE_TASKS_H
#define VFTRACE_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "library_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task that has been created and has not ended; 0: no task, which all functions ignore. */
typedef uint64_t vftrace_task_id;

/* A pause that has begun. The thread keeps this for the library until the pause is complete. */
struct vftrace_task_leaving {
    vftrace_task_id task; /* 0: none */
    void* outer;
    uint64_t started, others;
};

/* A handler of asio: what vftrace_task_create_handler() needs. The texts are literals, or others
 * that stay valid and unchanged. */
struct vftrace_task_handler {
    const char* declaration; /* of a function template whose argument `Operation` is the type of the
                                operation: "... [with Operation = wait_handler<...>]" */
    const char* operation;   /* "async_wait" */
    const char* function;    /* where the operation was started, or a null pointer */
    const char* file;
    int line;
    /* The type does not show what it is: it may be internal to asio, and is not a task if it is
     * created by one of asio's coroutines or, in_completion, outside tasks. */
    unsigned char is_of_any_type, in_completion;
    unsigned char is_ready; /* it can be called from now on */
};

/* What vftrace_task_snapshot() returns. */
enum vftrace_task_error {
    VFTRACE_TASK_OK = 0,
    VFTRACE_TASK_NO_FIGURES, /* nothing is recorded: no library, or profiling is off or finished */
    VFTRACE_TASK_NO_MEMORY
};

/* The figures of all tasks of one type, over all threads, including the cost of measuring. Times
 * are in seconds. */
struct vftrace_task_rank {
    const char* type; /* as passed by the caller, like the file; may be "" */
    const char* file;
    int line;                /* 0: unknown */
    double own_s;            /* in runs, without tasks created there; unfinished runs count */
    double with_children_s;  /* with all descendants; time of nested tasks of a type once */
    double wall_s, paused_s; /* of ended tasks: from creation to end, and in pauses */
    double longest_task_s;   /* own time of one task, without unfinished runs */
    double longest_run_s;    /* of one finished run of a task */
    uint64_t created, completed, failed, cancelled;
    uint64_t stillborn; /* ended without ever running */
    uint64_t pauses;
};

/* The library's functions for this header; later versions may append members. */
struct vftrace_task_calls {
    size_t bytes; /* of this structure */
    vftrace_task_id (*create)(const char* type, const char* file, int line);
    void (*run)(vftrace_task_id task);
    void (*pause)(vftrace_task_id task);
    void (*complete)(vftrace_task_id task);
    void (*fail)(vftrace_task_id task);
    void (*cancel)(vftrace_task_id task);
    vftrace_task_id (*create_at)(const char* function, const char* file, unsigned int line,
                                 const char* const* internal_files);
    void (*leave)(vftrace_task_id task, struct vftrace_task_leaving* leaving);
    void (*left)(const struct vftrace_task_leaving* leaving);
    void (*stay)(const struct vftrace_task_leaving* leaving);
    int (*is_live)(vftrace_task_id task);
    struct vftrace_task_rank* (*ranks)(size_t* count);
    int (*snapshot)(void);
    vftrace_task_id (*create_handler)(const struct vftrace_task_handler* handler);
    void (*ready)(vftrace_task_id task, uint64_t ns_ago);
};

#if defined(VFTRACE_TASKS_LINKED) || !defined(__GNUC__)
/* Plain functions of the library, for programs that are always linked with it. */
#define VFTRACE_DETAIL_TASK_CALL(type, name, parameters, call, otherwise) type name parameters;
const struct vftrace_task_calls* vftrace_task_calls(void);
#else
VFTRACE_DETAIL_LIBRARY_CALLS(vftrace_task_calls)

#define VFTRACE_DETAIL_TASK_CALL(type, name, parameters, call, otherwise)                          \
    VFTRACE_DETAIL_LIBRARY_CALL(vftrace_task_calls, type, name, parameters, call, otherwise)
#endif

/* Creates a task, which waits to be run. Its parent, which never changes, is the task that runs on
 * this thread or, if there is none, the current call path.
 *
 * type: the name of this kind of tasks, such as the function that they run; copied.
 * file: the source file in which they are created; only the last component of a path is used. A
 *       null pointer: not shown.
 * line: the line in that file.
 *
 * Returns 0 if nothing is recorded or memory is exhausted. */
VFTRACE_DETAIL_TASK_CALL(vftrace_task_id, vftrace_task_create,
                         (const char* type, const char* file, int line),
                         return calls->create(type, file, line), return 0)

/* Set in the ids of tasks that vftrace_task_create_at() has made internal. */
#define VFTRACE_DETAIL_INTERNAL_TASK ((vftrace_task_id)1 << 31)

/* The same for a coroutine, whose type is the place of its definition. vftrace/coroutines.hpp calls
 * it.
 *
 * function, file: its declaration ("my::task my::work(int)") and source file; literals, or other
 *                 texts that stay valid and unchanged.
 * line: in `file`.
 * internal_files: null, or a list of texts that ends with a null pointer. If one of them is part of
 *                 `file`, the coroutine is internal to a library. It is then not a type of its own:
 *                 its work is part of the task that created it, or of no task if there was none. */
VFTRACE_DETAIL_TASK_CALL(vftrace_task_id, vftrace_task_create_at,
                         (const char* function, const char* file, unsigned int line,
                          const char* const* internal_files),
                         return calls->create_at(function, file, line, internal_files), return 0)

/* The same for a handler of asio, whose type is its own type, or the place at which the operation
 * is started. vftrace/asio.hpp calls it. */
VFTRACE_DETAIL_TASK_CALL(vftrace_task_id, vftrace_task_create_handler,
                         (const struct vftrace_task_handler* handler),
                         return calls->bytes > offsetof(struct vftrace_task_calls, create_handler)
                                    ? calls->create_handler(handler)
                                    : 0,
                         return 0)

/* What the task waits for has happened, `ns_ago` nanoseconds ago (0: now): it could run since then.
 * The profile shows how long tasks are ready before they run, which is how long others keep them
 * waiting. To be called, on any thread, before vftrace_task_run(); the last call counts, and
 * VFTRACE_TASK_NOT_READY takes it back. */
#define VFTRACE_TASK_NOT_READY UINT64_MAX
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_ready, (vftrace_task_id task, uint64_t ns_ago),
                         (void)(calls->bytes > offsetof(struct vftrace_task_calls, ready) &&
                                (calls->ready(task, ns_ago), 1)),
                         (void)ns_ago)

/* The calling thread runs the task from now on: for the first time, or again after a pause. A task
 * that is already running on this thread is suspended until this one pauses or ends. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_run, (vftrace_task_id task), calls->run(task), (void)0)

/* The task stops running on the calling thread, and may be run again later. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_pause, (vftrace_task_id task), calls->pause(task),
                         (void)0)

/* A pause in two steps, for a task whose own code hands it over: to a queue, or to an operation
 * that runs it on completion. After the first step any thread may run and end it; what the calling
 * thread does up to the second step still counts as time of the task.
 *
 *     struct vftrace_task_leaving leaving;
 *     vftrace_task_leave(task, &leaving);
 *     if (start_operation(...))
 *         vftrace_task_left(&leaving);
 *     else
 *         vftrace_task_stay(&leaving);  // it was not handed over, and continues
 */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_leave,
                         (vftrace_task_id task, struct vftrace_task_leaving* leaving),
                         calls->leave(task, leaving), leaving->task = 0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_left, (const struct vftrace_task_leaving* leaving),
                         calls->left(leaving), (void)leaving)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_stay, (const struct vftrace_task_leaving* leaving),
                         calls->stay(leaving), (void)leaving)

/* Ends the task: it succeeded, failed, or is no longer wanted. Its id must not be used
 * afterwards. It may be running on this thread, be paused, or never have run. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_complete, (vftrace_task_id task), calls->complete(task),
                         (void)0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_fail, (vftrace_task_id task), calls->fail(task),
                         (void)0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_cancel, (vftrace_task_id task), calls->cancel(task),
                         (void)0)

/* Returns whether the task belongs to this process and has not ended. For code that may see foreign
 * tasks without a mistake: a child of fork also destroys objects of its parent. */
VFTRACE_DETAIL_TASK_CALL(int, vftrace_task_is_live, (vftrace_task_id task),
                         return calls->bytes > offsetof(struct vftrace_task_calls, is_live) &&
                                calls->is_live(task),
                         return 0)

/* Returns the current figures of all types of tasks, the one with the most own time first, and
 * their number in `count`. One call of free() frees everything, including the texts. A null pointer
 * if there are none, nothing is recorded or memory is exhausted. Costs a few microseconds, and more
 * with the number of types and paths. */
VFTRACE_DETAIL_TASK_CALL(
    struct vftrace_task_rank*, vftrace_task_ranks, (size_t * count), return calls->ranks(count),
    do {
        *count = 0;
        return 0;
    } while (0))

/* Stores the current figures of all types, as also happens every task.snapshot_interval; `vftrace
 * report --tasks --over-time` shows them. The profile has at most 256 such points per type, for the
 * 64 types with the most time: if there are more snapshots, every second one is kept, then every
 * fourth, and so on.
 *
 * Returns an enum vftrace_task_error. */
VFTRACE_DETAIL_TASK_CALL(int, vftrace_task_snapshot, (void), return calls->snapshot(),
                         return VFTRACE_TASK_NO_FIGURES)

#undef VFTRACE_DETAIL_TASK_CALL

#ifdef __cplusplus
}
#endif

#endif
