/* What calls of CUDA take, on the stand-in: "event <ns>" and "launch <ns>", of one call. */
#include <stdio.h>
#include <time.h>

#include "standin_cuda.h"

enum { calls = 200000, batches = 200 };

__global__ static void empty(void** arguments) { (void)arguments; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Of the quickest batch: others were interrupted. */
static double cost(void (*batch)(void)) {
    double least = 1e18;
    for (int i = 0; i < batches; ++i) {
        const double start = now();
        batch();
        const double took = now() - start;
        if (took < least)
            least = took;
    }
    return least / (calls / batches);
}

static cudaEvent_t event;

static void record_events(void) {
    for (int i = 0; i < calls / batches; ++i)
        cudaEventRecord(event, NULL);
}

static void launch_kernels(void) {
    for (int i = 0; i < calls / batches; ++i)
        cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

int main(void) {
    standin_register(empty, "empty", 0, 100);
    cudaEventCreate(&event);
    record_events();
    printf("event %.2f\n", cost(record_events));
    launch_kernels();
    printf("launch %.2f\n", cost(launch_kernels));
    return 0;
}
