/* Regions that begin in one function and end in another, and that begin on one thread and end on
 * another, which is a mistake. */
#include <pthread.h>
#include <stdio.h>
#include <vftrace.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void begins(void) {
    vftrace_region_begin("phase");
    work();
}
FUNCTION void ends(void) {
    work();
    vftrace_region_end("phase");
}
FUNCTION void* worker(void* unused) {
    begins();
    work();
    ends();
    vftrace_region_begin("left open");
    return unused;
}
FUNCTION void* ends_other(void* unused) {
    vftrace_region_end("of main");
    work();
    return unused;
}
FUNCTION void spawn(void* (*start)(void*)) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    begins();
    work();
    ends();
    spawn(worker);
    spawn(worker);
    vftrace_region_begin("of main");
    spawn(ends_other);
    work();
    vftrace_region_end("of main");
    puts("done");
    return 0;
}
