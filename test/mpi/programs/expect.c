/* See expect.h. Compiled without instrumentation, so that none of it appears in a profile. */
#include "expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_rows = 1000, of_function = -1000000 };

typedef struct {
    char function[48];
    int peer; /* or of_function: the totals of a function */
    long long calls, sent, sent_bytes, received, received_bytes;
} Row;

static int my_rank;
static FILE* reported;
static Row rows[max_rows];
static int row_count;

static void die(const char* reason) {
    fprintf(stderr, "expect: %s\n", reason);
    abort();
}

static FILE* open_file(const char* name) {
    char path[64];
    snprintf(path, sizeof path, "%s.%d", name, my_rank);
    FILE* file = fopen(path, "w");
    if (!file)
        die("cannot write into the current folder");
    return file;
}

static Row* row(const char* function, int peer) {
    for (int i = 0; i < row_count; i++)
        if (rows[i].peer == peer && !strcmp(rows[i].function, function))
            return &rows[i];
    if (row_count == max_rows)
        die("too many rows");
    Row* result = &rows[row_count++];
    snprintf(result->function, sizeof result->function, "%s", function);
    result->peer = peer;
    return result;
}

static void add_sent(Row* to, long long messages, long long bytes) {
    to->sent += messages;
    to->sent_bytes += messages * bytes;
}

static void add_received(Row* to, long long messages, long long bytes) {
    to->received += messages;
    to->received_bytes += messages * bytes;
}

void expect_rank(int rank) {
    my_rank = rank;
    reported = open_file("reported");
}

void expect_sent(const char* function, int peer, long long bytes) {
    add_sent(row(function, of_function), 1, bytes);
    add_sent(row(function, peer), 1, bytes);
}

void expect_received(const char* function, int peer, long long bytes) {
    add_received(row(function, of_function), 1, bytes);
    add_received(row(function, peer), 1, bytes);
}

void expect_collective_sent(const char* function, int messages, long long bytes) {
    add_sent(row(function, of_function), messages, bytes);
}

void expect_collective_received(const char* function, int messages, long long bytes) {
    add_received(row(function, of_function), messages, bytes);
}

void expect_calls(const char* function, int calls) { row(function, of_function)->calls += calls; }

void expect_write(void) {
    FILE* file = open_file("expected");
    for (int i = 0; i < row_count; i++) {
        const Row* it = &rows[i];
        if (it->calls)
            fprintf(file, "calls %s %lld\n", it->function, it->calls);
        if (it->sent + it->received == 0)
            continue;
        if (it->peer == of_function)
            fprintf(file, "total %s", it->function);
        else
            fprintf(file, "pair %d %s", it->peer, it->function);
        fprintf(file, " %lld %lld %lld %lld\n", it->sent, it->sent_bytes, it->received,
                it->received_bytes);
    }
    fclose(file);
}

void report(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(reported, format, arguments);
    va_end(arguments);
    fputc('\n', reported);
    fflush(reported); /* the process may be killed next */
}

void report_number(const char* what, int number) { report("%s %d", what, number); }

unsigned checksum(const void* data, long long bytes) {
    const unsigned char* byte = data;
    unsigned sum = 0;
    for (long long i = 0; i < bytes; i++)
        sum = sum * 31 + byte[i];
    return sum;
}
