// The calls that GCC 4.8 generates: the encountering thread does its part of a region between two
// calls.
#include <stdio.h>

extern void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads);
extern void GOMP_parallel_end(void);
extern void GOMP_parallel_loop_dynamic_start(void (*function)(void*), void* data, unsigned threads,
                                             long start, long end, long step, long chunk);
extern _Bool GOMP_loop_dynamic_next(long* start, long* end);
extern void GOMP_loop_end_nowait(void);

static int total;

__attribute__((noinline)) void leaf(void) { __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); }

__attribute__((no_instrument_function)) static void part(void* data) {
    leaf();
    *(int*)data = 1;
}

__attribute__((no_instrument_function)) static void loop_part(void* data) {
    long start, end;
    (void)data;
    while (GOMP_loop_dynamic_next(&start, &end))
        for (long i = start; i < end; i++)
            leaf();
    GOMP_loop_end_nowait();
}

__attribute__((noinline)) void region(void) {
    int shared = 0;
    GOMP_parallel_start(part, &shared, 2);
    part(&shared);
    GOMP_parallel_end();
    total += shared;
}

__attribute__((noinline)) void loop(void) {
    GOMP_parallel_loop_dynamic_start(loop_part, NULL, 2, 0, 10, 1, 1);
    loop_part(NULL);
    GOMP_parallel_end();
}

int main(void) {
    region();
    loop();
    region();
    printf("%d\n", total);
    return 0;
}
