/* A small program with libuv: a timer sends readings through a pipe, which are read on arrival;
 * every fifth one is summarised in the thread pool. Once it writes a report, during which nothing
 * else runs: which callback does that? See README.md.
 *
 *     cc uv_readings.c -o uv_readings $(pkg-config --cflags --libs libuv vftrace)
 *     vftrace run -- ./uv_readings
 *
 * Prints the numbers of readings and summaries. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>

#include "compute.h"
#include "uv_tasks.h"

enum { all_readings = 20, readings_a_summary = 5 };

static struct task_timer sender, reporter;
static struct task_stream incoming;
static uv_pipe_t outgoing;
static struct task_work summaries[all_readings / readings_a_summary];
static int sent, received, summarised;

static void check(int error) {
    if (error) {
        fprintf(stderr, "uv_readings: %s\n", uv_strerror(error));
        exit(1);
    }
}

static void send_reading(uv_timer_t* timer) {
    (void)timer;
    char reading = 'r';
    const uv_buf_t data = uv_buf_init(&reading, 1);
    if (uv_try_write((uv_stream_t*)&outgoing, &data, 1) == 1 && ++sent == all_readings) {
        task_timer_stop(&sender);
        uv_close((uv_handle_t*)&sender, NULL);
        uv_close((uv_handle_t*)&outgoing, NULL);
    }
}

static void summarise(uv_work_t* request) {
    (void)request;
    compute(0.02);
}

static void has_summarised(uv_work_t* request, int status) {
    (void)request;
    summarised += status == 0;
}

static void make_room(uv_handle_t* handle, size_t wanted, uv_buf_t* room) {
    static char memory[64];
    (void)handle, (void)wanted;
    *room = uv_buf_init(memory, sizeof memory);
}

static void take_readings(uv_stream_t* stream, ssize_t bytes, const uv_buf_t* data) {
    (void)data;
    if (bytes < 0) {
        uv_close((uv_handle_t*)stream, NULL);
        return;
    }
    for (; bytes > 0; bytes--)
        if (++received % readings_a_summary == 0)
            check(task_queue_work(stream->loop, &summaries[received / readings_a_summary - 1],
                                  summarise, has_summarised));
}

static void write_report(uv_timer_t* timer) {
    compute(0.3);
    uv_close((uv_handle_t*)timer, NULL);
}

int main(void) {
    uv_loop_t* loop = uv_default_loop();
    uv_file ends[2];
    check(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE));
    check(uv_pipe_init(loop, &incoming.handle.pipe, 0));
    check(uv_pipe_open(&incoming.handle.pipe, ends[0]));
    check(uv_pipe_init(loop, &outgoing, 0));
    check(uv_pipe_open(&outgoing, ends[1]));
    check(task_timer_init(loop, &sender));
    check(task_timer_init(loop, &reporter));
    check(task_read_start(&incoming, make_room, take_readings));
    check(task_timer_start(&sender, send_reading, 10, 10));
    check(task_timer_start(&reporter, write_report, 55, 0));
    check(uv_run(loop, UV_RUN_DEFAULT));
    check(uv_loop_close(loop));
    printf("%d readings, %d summaries\n", received, summarised);
    return 0;
}
