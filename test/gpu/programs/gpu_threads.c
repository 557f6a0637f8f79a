/* Threads with one stream each launch kernels, each from its own functions. */
#include <pthread.h>
#include <stdio.h>

#include "standin_cuda.h"

enum { threads = 4, launches = 50, size = 1000 };

__global__ static void even_kernel(void** arguments) { **(long**)arguments[0] += 1; }
__global__ static void odd_kernel(void** arguments) { **(long**)arguments[0] += 2; }

static void launch(standin_kernel kernel, long* device, cudaStream_t stream) {
    void* arguments[] = {&device};
    cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, stream);
}

static void even_work(long* device, cudaStream_t stream) { launch(even_kernel, device, stream); }
static void odd_work(long* device, cudaStream_t stream) { launch(odd_kernel, device, stream); }

static void* run(void* argument) {
    const long number = *(long*)argument;
    long host[size / sizeof(long)] = {0};
    void* device;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, size);
    cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream);
    for (int i = 0; i < launches; ++i)
        (number % 2 ? odd_work : even_work)(device, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    *(long*)argument = host[0];
    return NULL;
}

int main(void) {
    pthread_t ids[threads];
    long results[threads];
    standin_register(even_kernel, "even_kernel", 1, 1000);
    standin_register(odd_kernel, "odd_kernel", 1, 2000);
    for (long i = 0; i < threads; ++i) {
        results[i] = i;
        pthread_create(&ids[i], NULL, run, &results[i]);
    }
    for (int i = 0; i < threads; ++i) {
        pthread_join(ids[i], NULL);
        printf("%ld ", results[i]);
    }
    puts("");
    return 0;
}
