/* loads_cuda LIBRARY: CUDA is loaded while the program runs. */
#include <dlfcn.h>
#include <stdio.h>

#include "standin_cuda.h"

__global__ static void double_it(void** arguments) { **(long**)arguments[0] *= 2; }

#define LOOK_UP(name) const __typeof__(&name) my_##name = (__typeof__(&name))dlsym(library, #name)

static long work(void* library) {
    long value = 21;
    void* memory;
    LOOK_UP(standin_register);
    LOOK_UP(cudaMalloc);
    LOOK_UP(cudaMemcpy);
    LOOK_UP(cudaLaunchKernel);
    my_standin_register(double_it, "double_it", 1, 2500);
    my_cudaMalloc(&memory, sizeof value);
    my_cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice);
    void* arguments[] = {&memory};
    my_cudaLaunchKernel(double_it, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL);
    my_cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

int main(int argc, char** argv) {
    void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library)
        printf("%ld\n", work(library));
    return !library;
}
