/* Callbacks of libevent as vftrace tasks:
 *
 *     event_new(base, fd, what, callback, argument)     task_event_new(...)
 *     event_add(event, timeout)                         task_event_add(event, timeout)
 *     event_del(event)                                  task_event_del(event)
 *     event_free(event)                                 task_event_free(event)
 *
 * task_event_add() creates a task, unless the event already has one. The task is named after the
 * callback, shown with the place of task_event_new(), and a child of the callback that adds the
 * event. Each call of the callback is a run of the task, which completes after the first run or,
 * with EV_PERSIST, when the event is removed. Return values are libevent's. */
#ifndef EVENT_TASKS_H
#define EVENT_TASKS_H

#include <event2/event.h>
#include <stdlib.h>
#include <vftrace/tasks.h>

struct task_event {
    struct event* event; /* for libevent's other functions */
    event_callback_fn callback;
    void* argument;
    const char *type, *file;
    int line;
    vftrace_task_id task; /* 0: none */
};

static inline int task_event_persists(const struct task_event* event) {
    return (event_get_events(event->event) & EV_PERSIST) != 0;
}

static inline void task_event_happens(evutil_socket_t fd, short what, void* argument) {
    struct task_event* event = (struct task_event*)argument;
    const vftrace_task_id task = event->task;
    const int persists = task_event_persists(event);
    if (!persists)
        event->task = 0; /* the callback may add it again, with another task */
    vftrace_task_run(task);
    event->callback(fd, what, event->argument);
    if (!vftrace_task_is_live(task))
        return; /* removed by the callback, and perhaps freed */
    if (persists)
        vftrace_task_pause(task);
    else
        vftrace_task_complete(task);
}

/* Returns a null pointer if there is no memory, or if event_new() does. */
static inline struct task_event* task_event_new_at(struct event_base* base, evutil_socket_t fd,
                                                   short what, event_callback_fn callback,
                                                   void* argument, const char* type,
                                                   const char* file, int line) {
    struct task_event* event = (struct task_event*)malloc(sizeof *event);
    if (!event)
        return NULL;
    event->callback = callback;
    event->argument = argument;
    event->type = type;
    event->file = file;
    event->line = line;
    event->task = 0;
    event->event = event_new(base, fd, what, task_event_happens, event);
    if (!event->event) {
        free(event);
        return NULL;
    }
    return event;
}
#define task_event_new(base, fd, what, callback, argument)                                         \
    task_event_new_at(base, fd, what, callback, argument, #callback, __FILE__, __LINE__)

static inline int task_event_add(struct task_event* event, const struct timeval* timeout) {
    const int error = event_add(event->event, timeout);
    if (!error && !event->task)
        event->task = vftrace_task_create(event->type, event->file, event->line);
    return error;
}

static inline int task_event_del(struct task_event* event) {
    const vftrace_task_id task = event->task;
    event->task = 0;
    if (task_event_persists(event))
        vftrace_task_complete(task);
    else
        vftrace_task_cancel(task);
    return event_del(event->event);
}

static inline void task_event_free(struct task_event* event) {
    task_event_del(event);
    event_free(event->event);
    free(event);
}

#endif
