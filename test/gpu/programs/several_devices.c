/* Three devices: kernels on each, copies between them, one is reset and used again. */
#include <stdio.h>

#include "standin_cuda.h"

enum { size = 20000 };

__global__ static void mark(void** arguments) { **(long**)arguments[0] += *(long*)arguments[1]; }

static void use(int device, void* memory, long value) {
    void* arguments[] = {&memory, &value};
    cudaSetDevice(device);
    for (int i = 0; i <= device; ++i)
        cudaLaunchKernel(mark, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL);
    cudaDeviceSynchronize();
}

int main(void) {
    void* memory[3];
    long result;
    int devices;
    standin_register(mark, "mark", 2, 7000);
    cudaGetDeviceCount(&devices);
    for (int i = 0; i < devices; ++i) {
        cudaSetDevice(i);
        cudaMalloc(&memory[i], size);
        use(i, memory[i], 1);
    }
    cudaMemcpyPeer(memory[0], 0, memory[2], 2, size);
    cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, size / 2, NULL);
    cudaSetDevice(1);
    cudaMemcpy(&result, memory[1], sizeof result, cudaMemcpyDeviceToHost);
    cudaDeviceReset();
    use(1, memory[1], 1);
    printf("%d devices, %ld, %d\n", devices, result, cudaSetDevice(7));
    return 0;
}
