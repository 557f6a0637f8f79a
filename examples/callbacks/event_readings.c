/* A small program with libevent: a timer sends readings through a pipe, which are read on arrival.
 * Once it writes a report, during which nothing else runs: which callback does that? See README.md.
 *
 *     cc event_readings.c -o event_readings $(pkg-config --cflags --libs libevent vftrace)
 *     vftrace run -- ./event_readings
 *
 * Prints the number of readings. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <unistd.h>

#include "compute.h"
#include "event_tasks.h"

enum { all_readings = 20 };

static struct task_event *sender, *receiver, *reporter;
static int pipe_ends[2], sent, received;

static void send_reading(evutil_socket_t fd, short what, void* argument) {
    (void)fd, (void)what, (void)argument;
    if (write(pipe_ends[1], "r", 1) == 1 && ++sent == all_readings) {
        task_event_free(sender);
        close(pipe_ends[1]);
    }
}

static void take_readings(evutil_socket_t fd, short what, void* argument) {
    char data[64];
    (void)what, (void)argument;
    const ssize_t bytes = read(fd, data, sizeof data);
    if (bytes > 0)
        received += (int)bytes;
    else
        task_event_free(receiver);
}

static void write_report(evutil_socket_t fd, short what, void* argument) {
    (void)fd, (void)what, (void)argument;
    compute(0.3);
}

int main(void) {
    const struct timeval often = {0, 10000}, later = {0, 55000};
    struct event_base* base = event_base_new();
    if (!base || pipe(pipe_ends))
        return 1;
    sender = task_event_new(base, -1, EV_PERSIST, send_reading, NULL);
    receiver = task_event_new(base, pipe_ends[0], EV_READ | EV_PERSIST, take_readings, NULL);
    reporter = task_event_new(base, -1, 0, write_report, NULL);
    if (!sender || !receiver || !reporter || task_event_add(sender, &often) ||
        task_event_add(receiver, NULL) || task_event_add(reporter, &later))
        return 1;
    event_base_dispatch(base);
    task_event_free(reporter);
    event_base_free(base);
    close(pipe_ends[0]);
    printf("%d readings\n", received);
    return 0;
}
