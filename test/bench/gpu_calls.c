/* On the stand-in for CUDA. Without arguments: the time of one call, "event <ns>" and "launch
 * <ns>". gpu_calls N: N launches of 8 kernels in 4 streams, which produce records. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "standin_cuda.h"

enum { calls = 200000, batches = 200 };

__global__ static void empty(void** arguments) { (void)arguments; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The time of the fastest batch: the others were interrupted. */
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

#define KERNELS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
#define DEFINE(name)                                                                               \
    __global__ static void kernel_##name(void** arguments) { (void)arguments; }
KERNELS(DEFINE)

static void launch_many(long launches) {
#define NAME(name) kernel_##name,
    static const standin_kernel kernels[] = {KERNELS(NAME)};
    cudaStream_t streams[4];
#define REGISTER(name) standin_register(kernel_##name, "kernel_" #name, 0, 100);
    KERNELS(REGISTER)
    for (int i = 0; i < 4; ++i)
        cudaStreamCreate(&streams[i]);
    for (long i = 0; i < launches; ++i)
        cudaLaunchKernel(kernels[i * 7 % 8], (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                         streams[i * 3 % 4]);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        launch_many(atol(argv[1]));
        return 0;
    }
    standin_register(empty, "empty", 0, 100);
    cudaEventCreate(&event);
    record_events();
    printf("event %.2f\n", cost(record_events));
    launch_kernels();
    printf("launch %.2f\n", cost(launch_kernels));
    return 0;
}
