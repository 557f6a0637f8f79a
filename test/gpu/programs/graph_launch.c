/* A graph of a copy, two kernels (one of them twice) and a memset is recorded and launched. */
#include <stdio.h>

#include "standin_cuda.h"

enum { launches = 5, size = 5000 };

__global__ static void double_it(void** arguments) { **(long**)arguments[0] *= 2; }
__global__ static void add_one(void** arguments) { **(long**)arguments[0] += 1; }

static cudaGraph_t record(long* device, const long* host, cudaStream_t stream) {
    void* arguments[] = {&device};
    const dim3 one = {1, 1, 1};
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, 0);
    cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream);
    cudaLaunchKernel(double_it, one, one, arguments, 0, stream);
    cudaLaunchKernel(add_one, one, one, arguments, 0, stream);
    cudaLaunchKernel(double_it, one, one, arguments, 0, stream);
    cudaMemsetAsync(device + 1, 0, size - sizeof(long), stream);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

static void replay(cudaGraphExec_t graph, cudaStream_t stream) {
    for (int i = 0; i < launches; ++i)
        cudaGraphLaunch(graph, stream);
    cudaStreamSynchronize(stream);
}

int main(void) {
    static long host[size / sizeof(long)];
    void* device;
    cudaStream_t stream;
    cudaGraphExec_t executable;
    standin_register(double_it, "double_it", 1, 3000);
    standin_register(add_one, "add_one", 1, 1700);
    host[0] = 10;
    cudaMalloc(&device, size);
    cudaStreamCreate(&stream);
    const cudaGraph_t graph = record(device, host, stream);
    cudaGraphInstantiate(&executable, graph, 0);
    replay(executable, stream);
    cudaMemcpy(host, device, sizeof(long), cudaMemcpyDeviceToHost);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    printf("%ld\n", host[0]);
    return 0;
}
