/* Copies and kernels in two streams that overlap, joined by an event. */
#include <stdio.h>

#include "standin_cuda.h"

enum { size = 100000 };

__global__ static void work_kernel(void** arguments) { **(unsigned char**)arguments[0] += 1; }

/* To the device, a kernel, and back. */
static void process(unsigned char* host, unsigned char* device, cudaStream_t stream) {
    void* arguments[] = {&device};
    cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream);
    cudaLaunchKernel(work_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, stream);
    cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream);
}

int main(void) {
    cudaStream_t streams[2];
    void *host[2], *device[2];
    cudaEvent_t first, last, middle;
    float ms;
    standin_register(work_kernel, "work_kernel", 1, 20000);
    cudaEventCreate(&first);
    cudaEventCreate(&middle);
    cudaEventCreate(&last);
    for (int i = 0; i < 2; ++i) {
        cudaStreamCreate(&streams[i]);
        cudaMallocHost(&host[i], size);
        cudaMalloc(&device[i], size);
    }
    cudaEventRecord(first, streams[0]);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 2; ++i)
            process(host[i], device[i], streams[i]);
    cudaEventRecord(middle, streams[0]);
    cudaStreamWaitEvent(streams[1], middle, 0);
    cudaMemsetAsync(device[1], 0, size, streams[1]);
    cudaEventRecord(last, streams[1]);
    cudaEventSynchronize(last);
    cudaEventElapsedTime(&ms, middle, last);
    for (int i = 0; i < 2; ++i)
        cudaStreamSynchronize(streams[i]);
    printf("%d %d, %g ms\n", *(unsigned char*)host[0], *(unsigned char*)host[1], ms);
    for (int i = 0; i < 2; ++i) {
        cudaStreamDestroy(streams[i]);
        cudaFreeHost(host[i]);
        cudaFree(device[i]);
    }
    return 0;
}
