/* vftrace/tasks.h: asynchronous tasks (callbacks, futures, own schedulers), for C (C99 and later)
 * and C++; vftrace/tasks.hpp has tasks that are C++ objects.
 *
 * A task is a piece of work that is created at one place and runs at others, in one or several runs
 * with pauses in between. The profile shows it below the path that created it, whatever runs it:
 * its time is not that of the event loop, nor of what waits for it.
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
 * A program that includes this header needs no library to be linked or run: see
 * vftrace/sections.h. A program that has nothing but tasks of libvftrace.a is linked with
 * -Wl,--undefined=vftrace_task_calls.
 *
 * All functions may be called at any time, on any thread and, but for vftrace_task_ranks() and
 * vftrace_task_snapshot(), in signal handlers. None of them ever ends the program; a mistake in
 * their use (a task that is completed twice, or that two threads run at once) is told once on
 * stderr, and changes nothing. In a child of fork there are no tasks but those that it creates. */
#ifndef VFTRACE_TASKS_H
#define VFTRACE_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "library_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task that has been created and has not ended; 0: none, which all functions ignore. */
typedef uint64_t vftrace_task_id;

/* A pause that has begun: the library's, to be kept by the thread meanwhile. */
struct vftrace_task_leaving {
    vftrace_task_id task; /* 0: none */
    void* outer;
    uint64_t started, others;
};

/* What vftrace_task_snapshot() returns. */
enum vftrace_task_error {
    VFTRACE_TASK_OK = 0,
    VFTRACE_TASK_NO_FIGURES, /* nothing is recorded: without library, with profiling off, at the end
                              */
    VFTRACE_TASK_NO_MEMORY
};

/* What is known of all tasks of one type: on all threads, the cost of measuring included. Times are
 * seconds. */
struct vftrace_task_rank {
    const char* type; /* as it was given, and so is the file, or "" */
    const char* file;
    int line;                /* 0: not known */
    double own_s;            /* in runs, without tasks that they created; runs that go on count */
    double with_children_s;  /* with them, and those that they created; a type in itself once */
    double wall_s, paused_s; /* of tasks that have ended: from creation to end, and in pauses */
    double longest_task_s;   /* own time of one task; runs that go on do not count */
    double longest_run_s;    /* of one run of a task, which has ended */
    uint64_t created, completed, failed, cancelled;
    uint64_t stillborn; /* of those that have ended: never run */
    uint64_t pauses;
};

/* What the library does for this header; more may come at the end. */
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
};

#if defined(VFTRACE_TASKS_LINKED) || !defined(__GNUC__)
/* As functions of the library, for programs that are always linked with it. */
#define VFTRACE_DETAIL_TASK_CALL(type, name, parameters, call, otherwise) type name parameters;
const struct vftrace_task_calls* vftrace_task_calls(void);
#else
VFTRACE_DETAIL_LIBRARY_CALLS(vftrace_task_calls)

#define VFTRACE_DETAIL_TASK_CALL(type, name, parameters, call, otherwise)                          \
    VFTRACE_DETAIL_LIBRARY_CALL(vftrace_task_calls, type, name, parameters, call, otherwise)
#endif

/* Creates a task, which waits to be run. Its parent is the task that runs on this thread, or else
 * the path of calls, for ever.
 *
 * type: what tasks of this kind are called, such as the function that they run; copied.
 * file: where they are created, and the line; of a path the last part counts. A null pointer: it
 *       is not shown.
 *
 * Returns 0 if nothing is recorded, or without memory. */
VFTRACE_DETAIL_TASK_CALL(vftrace_task_id, vftrace_task_create,
                         (const char* type, const char* file, int line),
                         return calls->create(type, file, line), return 0)

/* Set in ids of tasks that vftrace_task_create_at() has made internal. */
#define VFTRACE_DETAIL_INTERNAL_TASK ((vftrace_task_id)1 << 31)

/* The same for a coroutine, whose type is where it is defined. vftrace/coroutines.hpp calls it.
 *
 * function, file: its declaration ("my::task my::work(int)") and source file; as literals, which
 *                 stay as they are.
 * line: in `file`.
 * internal_files: null, or texts that end with a null pointer: if one of them is part of `file`
 *                 the coroutine belongs to the inside of a library. It is not a type of its own
 *                 then; what it does is part of the task that created it, and no task if none
 *                 did. */
VFTRACE_DETAIL_TASK_CALL(vftrace_task_id, vftrace_task_create_at,
                         (const char* function, const char* file, unsigned int line,
                          const char* const* internal_files),
                         return calls->create_at(function, file, line, internal_files), return 0)

/* The calling thread runs the task from now on: for the first time, or again after a pause. A task
 * that runs on this thread already stands still until this one pauses or ends. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_run, (vftrace_task_id task), calls->run(task), (void)0)

/* The task leaves the calling thread, which runs it, to be run again later. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_pause, (vftrace_task_id task), calls->pause(task),
                         (void)0)

/* A pause in two steps, for a task that is given away by its own code: to a queue, to an operation
 * that runs it when it is done. After the first step it may be run, and ended, by any thread; what
 * the calling thread does up to the second step is still time of the task.
 *
 *     struct vftrace_task_leaving leaving;
 *     vftrace_task_leave(task, &leaving);
 *     if (start_operation(...))
 *         vftrace_task_left(&leaving);
 *     else
 *         vftrace_task_stay(&leaving);  // it was not handed over, and runs on
 */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_leave,
                         (vftrace_task_id task, struct vftrace_task_leaving* leaving),
                         calls->leave(task, leaving), leaving->task = 0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_left, (const struct vftrace_task_leaving* leaving),
                         calls->left(leaving), (void)leaving)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_stay, (const struct vftrace_task_leaving* leaving),
                         calls->stay(leaving), (void)leaving)

/* The task is over, and its id is not to be used any more: it has done what it should, has failed,
 * or is not wanted any more. It may be running on this thread, be paused, or never have run. */
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_complete, (vftrace_task_id task), calls->complete(task),
                         (void)0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_fail, (vftrace_task_id task), calls->fail(task),
                         (void)0)
VFTRACE_DETAIL_TASK_CALL(void, vftrace_task_cancel, (vftrace_task_id task), calls->cancel(task),
                         (void)0)

/* Returns whether the task is one of this process and has not ended. For what must not be a
 * mistake: in a child of fork objects of its parent are destroyed, too. */
VFTRACE_DETAIL_TASK_CALL(int, vftrace_task_is_live, (vftrace_task_id task),
                         return calls->bytes > offsetof(struct vftrace_task_calls, is_live) &&
                                calls->is_live(task),
                         return 0)

/* Returns the figures of all types of tasks as they are now, the one with most own time first,
 * which the caller frees with free(), texts included; `count`: how many there are. A null pointer
 * if there are none, nothing is recorded or memory is exhausted. Costs some microseconds, and more
 * with the number of types and paths. */
VFTRACE_DETAIL_TASK_CALL(
    struct vftrace_task_rank*, vftrace_task_ranks, (size_t * count), return calls->ranks(count),
    do {
        *count = 0;
        return 0;
    } while (0))

/* Keeps the figures of all types as they are now, as is also done each task.snapshot_interval: what
 * `vftrace report --tasks --over-time` is made of. The profile has at most 256 such points of a
 * type, of the 64 types with most time: of more snapshots every second one is kept, then every
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
