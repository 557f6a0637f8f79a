/* Managed memory moves to the device when a kernel uses it, and back. */
#include <stdio.h>

#include "standin_cuda.h"

enum { size = 65536, rounds = 3 };

__global__ static void count_up(void** arguments) { **(long**)arguments[0] += 1; }

static void step(long* managed) {
    void* arguments[] = {&managed};
    cudaLaunchKernel(count_up, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL);
    cudaDeviceSynchronize();
}

int main(void) {
    void* managed;
    standin_register(count_up, "count_up", 1, 5000);
    cudaMallocManaged(&managed, size, cudaMemAttachGlobal);
    for (int i = 0; i < rounds; ++i) {
        step(managed); /* two kernels, one migration */
        step(managed);
        standin_touch(managed);
        *(long*)managed *= 2;
    }
    cudaMemPrefetchAsync(managed, size, 0, NULL);
    printf("%ld\n", *(long*)managed);
    cudaFree(managed);
    return 0;
}
