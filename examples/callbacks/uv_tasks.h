/* Callbacks of libuv as vftrace tasks: timers, reading from streams, work in the thread pool.
 *
 * The structures of this header have libuv's handle or request as their first member, which is used
 * with libuv's functions as usual; `data` remains for the program to use. Only these calls change:
 *
 *     uv_timer_start(&timer, callback, ...)         task_timer_start(&timer, callback, ...)
 *     uv_timer_stop(&timer)                         task_timer_stop(&timer)
 *     uv_read_start(&stream, allocate, callback)    task_read_start(&stream, allocate, callback)
 *     uv_read_stop(&stream)                         task_read_stop(&stream)
 *     uv_queue_work(loop, &request, work, after)    task_queue_work(loop, &request, work, after)
 *
 * The functions that start something create a task, which is named after the callback, and is a
 * child of the callback that makes the call. Return values are libuv's. Use these functions to stop
 * timers and streams, also before closing them; otherwise their tasks stay alive. */
#ifndef UV_TASKS_H
#define UV_TASKS_H

#include <uv.h>
#include <vftrace/tasks.h>

/* Ends a run of a task: the task then waits for the next run, or has completed. The callback may
 * already have ended the task, and freed what it belonged to. */
static inline void task_leave(vftrace_task_id task, int runs_again) {
    if (!vftrace_task_is_live(task))
        return;
    if (runs_again)
        vftrace_task_pause(task);
    else
        vftrace_task_complete(task);
}

/* ---- Timers: one task from start to stop, a run each time; a single run without repetition --- */

struct task_timer {
    uv_timer_t handle;
    uv_timer_cb callback;
    vftrace_task_id task;
};

static inline void task_timer_fires(uv_timer_t* handle) {
    struct task_timer* timer = (struct task_timer*)handle;
    const vftrace_task_id task = timer->task;
    const int repeats = uv_timer_get_repeat(handle) != 0;
    if (!repeats)
        timer->task = 0; /* the callback may start it again, with another task */
    vftrace_task_run(task);
    timer->callback(handle);
    task_leave(task, repeats);
}

static inline int task_timer_init(uv_loop_t* loop, struct task_timer* timer) {
    timer->task = 0;
    return uv_timer_init(loop, &timer->handle);
}

static inline int task_timer_stop(struct task_timer* timer) {
    const vftrace_task_id task = timer->task;
    timer->task = 0;
    if (uv_timer_get_repeat(&timer->handle) != 0)
        vftrace_task_complete(task);
    else
        vftrace_task_cancel(task);
    return uv_timer_stop(&timer->handle);
}

static inline int task_timer_start_at(struct task_timer* timer, uv_timer_cb callback,
                                      uint64_t timeout, uint64_t repeat, const char* type,
                                      const char* file, int line) {
    task_timer_stop(timer);
    timer->callback = callback;
    const int error = uv_timer_start(&timer->handle, task_timer_fires, timeout, repeat);
    if (!error)
        timer->task = vftrace_task_create(type, file, line);
    return error;
}
#define task_timer_start(timer, callback, timeout, repeat)                                         \
    task_timer_start_at(timer, callback, timeout, repeat, #callback, __FILE__, __LINE__)

/* ---- Reading: one task from start to the end of the stream, a run each time data arrive ------ */

struct task_stream {
    union {
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } handle;
    uv_read_cb callback;
    vftrace_task_id task;
};

static inline void task_stream_has_read(uv_stream_t* handle, ssize_t bytes, const uv_buf_t* data) {
    struct task_stream* stream = (struct task_stream*)handle;
    const vftrace_task_id task = stream->task;
    if (bytes < 0)
        stream->task = 0;
    vftrace_task_run(task);
    stream->callback(handle, bytes, data);
    task_leave(task, bytes >= 0);
}

static inline int task_read_stop(struct task_stream* stream) {
    const vftrace_task_id task = stream->task;
    stream->task = 0;
    vftrace_task_complete(task);
    return uv_read_stop(&stream->handle.stream);
}

/* stream: before the first call all zero, except for what libuv's function for its kind has
 * initialised. */
static inline int task_read_start_at(struct task_stream* stream, uv_alloc_cb allocate,
                                     uv_read_cb callback, const char* type, const char* file,
                                     int line) {
    stream->callback = callback;
    const int error = uv_read_start(&stream->handle.stream, allocate, task_stream_has_read);
    if (!error && !stream->task)
        stream->task = vftrace_task_create(type, file, line);
    return error;
}
#define task_read_start(stream, allocate, callback)                                                \
    task_read_start_at(stream, allocate, callback, #callback, __FILE__, __LINE__)

/* ---- Work: a task that runs in the thread pool, and then once in the loop -------------------- */

struct task_work {
    uv_work_t request;
    uv_work_cb work;
    uv_after_work_cb after;
    vftrace_task_id task;
};

static inline void task_work_runs(uv_work_t* request) {
    struct task_work* work = (struct task_work*)request;
    vftrace_task_run(work->task);
    work->work(request);
    vftrace_task_pause(work->task);
}

static inline void task_work_is_done(uv_work_t* request, int status) {
    struct task_work* work = (struct task_work*)request;
    const vftrace_task_id task = work->task;
    if (status == UV_ECANCELED)
        vftrace_task_cancel(task);
    else
        vftrace_task_run(task);
    if (work->after)
        work->after(request, status);
    task_leave(task, 0);
}

static inline int task_queue_work_at(uv_loop_t* loop, struct task_work* work, uv_work_cb run,
                                     uv_after_work_cb after, const char* type, const char* file,
                                     int line) {
    work->work = run;
    work->after = after;
    work->task = vftrace_task_create(type, file, line); /* before another thread runs it */
    const int error = uv_queue_work(loop, &work->request, task_work_runs, task_work_is_done);
    if (error)
        vftrace_task_cancel(work->task);
    return error;
}
#define task_queue_work(loop, request, work, after)                                                \
    task_queue_work_at(loop, request, work, after, #work, __FILE__, __LINE__)

#endif
