// The cost of the report of regions.
//
//     region_cost pairs COUNT      ns to enter and leave a marked region
//     region_cost sampler SECONDS [COUNTER...]
//                                  seconds of processor time that the library's thread uses in this
//                                  time, while the counter files count, as those of a machine do
//     region_cost idle SECONDS     the same for a thread that wakes every 5 ms and does nothing
//     region_cost main             seconds on the monotonic clock when main begins
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vftrace.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double pairs(long count) {
    const double start = now();
    for (long i = 0; i < count; i++) {
        vftrace_region_begin("region");
        vftrace_region_end("region");
    }
    return 1e9 * (now() - start) / (double)count;
}

// Processor time of the service thread so far, in seconds; 0 if there is none.
static double service_time(void) {
    double seconds = 0;
    DIR* threads = opendir("/proc/self/task");
    for (struct dirent* entry; (entry = readdir(threads)) != NULL;) {
        char path[300], name[32] = "";
        unsigned long long ns = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE* file = fopen(path, "r");
        if (file != NULL) {
            if (fscanf(file, "%31s", name) != 1)
                name[0] = '\0';
            fclose(file);
        }
        if (strcmp(name, "vftrace-service") != 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = fopen(path, "r");
        if (file != NULL) {
            if (fscanf(file, "%llu", &ns) == 1)
                seconds = 1e-9 * (double)ns;
            fclose(file);
        }
    }
    closedir(threads);
    return seconds;
}

enum { most_counters = 16 };
static int counters[most_counters], counter_count;

static void open_counters(char** paths, int count) {
    for (; counter_count < count && counter_count < most_counters; counter_count++)
        counters[counter_count] = open(paths[counter_count], O_WRONLY);
}

// 50 W.
static void count(double since) {
    char text[32];
    const int length =
        snprintf(text, sizeof text, "%ld\n", 1000000 + (long)(50e6 * (now() - since)));
    for (int i = 0; i < counter_count; i++)
        if (pwrite(counters[i], text, (size_t)length, 0) != length)
            exit(1);
}

static void work_in_regions(double seconds) {
    static double start;
    if (start == 0)
        start = now();
    const double end = now() + seconds;
    for (int i = 0; now() < end; i++) {
        count(start);
        const char* name = i % 2 ? "one" : "other";
        vftrace_region_begin(name);
        const double end_of_region = now() + 2e-3;
        while (now() < end_of_region) {
        }
        vftrace_region_end(name);
    }
}

static void* wake(void* seconds) {
    static double used;
    const double end = now() + *(double*)seconds;
    while (now() < end) {
        const struct timespec interval = {0, 5000000};
        nanosleep(&interval, NULL);
    }
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    used = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    return &used;
}

static double idle_thread(double seconds) {
    pthread_t thread;
    void* used;
    pthread_create(&thread, NULL, wake, &seconds);
    work_in_regions(seconds);
    pthread_join(thread, &used);
    return *(double*)used;
}

int main(int argc, char** argv) {
    const double start = now();
    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "pairs") == 0) {
        pairs(1000);
        printf("%.3f\n", pairs(atol(argv[2])));
    } else if (strcmp(argv[1], "sampler") == 0) {
        open_counters(argv + 3, argc - 3);
        work_in_regions(1);  // lets the library find what it reads
        const double before = service_time();
        work_in_regions(atof(argv[2]));
        printf("%.9f\n", service_time() - before);
    } else if (strcmp(argv[1], "idle") == 0) {
        printf("%.9f\n", idle_thread(atof(argv[2])));
    } else {
        printf("%.9f\n", start);
    }
    return 0;
}
