/* Time between pause and resume belongs only to the row vftrace_pause. */
#include <stdio.h>
#include <time.h>
#include <vftrace.h>

static void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, 0);
}
__attribute__((noinline)) static void seen(void) { sleep_ms(20); }
__attribute__((noinline)) static void unseen(void) { sleep_ms(100); }
__attribute__((noinline)) static void pauses_below(void) { vftrace_pause(); }
__attribute__((noinline)) static void resumes_below(void) {
    vftrace_resume();
    seen();
}

int main(void) {
    seen();
    vftrace_pause();
    vftrace_pause(); /* a second pause changes nothing */
    unseen();
    vftrace_region_begin("ignored");
    vftrace_region_end("ignored");
    vftrace_resume();
    vftrace_resume(); /* nothing to resume */
    seen();
    pauses_below(); /* resumed at another depth */
    unseen();
    resumes_below();
    seen();
    puts("done");
    return 0;
}
