/* Two threads that compute 20 calls deep, without frame pointers; prints how many seconds they took
 * on average, minus the time that they waited for a processor.
 *
 *   sampled_depth ROUNDS [event|signal]
 *
 * event: a timer like the library's interrupts them a thousand times per second, without any
 * handling; signal: its signals go to an empty handler. This is the minimum cost of sampling by
 * signals. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread volatile double sink;

/* Different functions, because direct recursion would count as one. */
#define LEVEL(n, below)                                                                            \
    __attribute__((noinline)) static void level_##n(long turns) {                                  \
        below(turns);                                                                              \
        sink = n;                                                                                  \
    }
__attribute__((noinline)) static void work(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}
LEVEL(18, work);
LEVEL(17, level_18);
LEVEL(16, level_17);
LEVEL(15, level_16);
LEVEL(14, level_15);
LEVEL(13, level_14);
LEVEL(12, level_13);
LEVEL(11, level_12);
LEVEL(10, level_11);
LEVEL(9, level_10);
LEVEL(8, level_9);
LEVEL(7, level_8);
LEVEL(6, level_7);
LEVEL(5, level_6);
LEVEL(4, level_5);
LEVEL(3, level_4);
LEVEL(2, level_3);
LEVEL(1, level_2);

static long rounds;
static const char* timer = "";

static void ignore(int unused) { (void)unused; }

static void start_timer(void) {
    struct perf_event_attr attributes;
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = 1000000;
    attributes.exclude_kernel = attributes.exclude_hv = attributes.disabled = 1;
    attributes.wakeup_events = 1;
    int file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (file < 0) {
        perror("perf_event_open");
        exit(1);
    }
    if (strcmp(timer, "signal") == 0) {
        signal(SIGSTKFLT, ignore);
        fcntl(file, F_SETSIG, SIGSTKFLT);
        fcntl(file, F_SETOWN_EX, &owner);
        fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
    }
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
}

/* How long the calling thread was ready to run while other threads had the processors. */
static double waited(void) {
    unsigned long long running, waiting = 0;
    FILE* file = fopen("/proc/thread-self/schedstat", "r");
    if (file) {
        if (fscanf(file, "%llu %llu", &running, &waiting) != 2)
            waiting = 0;
        fclose(file);
    }
    return (double)waiting * 1e-9;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void* thread(void* seconds) {
    if (*timer)
        start_timer();
    double start = now() - waited();
    for (long i = 0; i < rounds; i++)
        level_1(20000);
    *(double*)seconds = now() - waited() - start;
    return seconds;
}

int main(int count, char** arguments) {
    double seconds[2];
    pthread_t other;
    rounds = count > 1 ? atol(arguments[1]) : 1000;
    if (count > 2)
        timer = arguments[2];
    pthread_create(&other, NULL, thread, &seconds[1]);
    thread(&seconds[0]);
    pthread_join(other, NULL);
    printf("%.9f\n", (seconds[0] + seconds[1]) / 2);
    return 0;
}
