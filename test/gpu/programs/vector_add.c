/* Two vectors are added on the device, three times, in two functions; one allocation fails. */
#include <stdio.h>

#include "standin_cuda.h"

enum { elements = 1000, bytes = elements * sizeof(double) };

__global__ static void add_kernel(void** arguments) {
    const double *a = *(double**)arguments[0], *b = *(double**)arguments[1];
    double* sum = *(double**)arguments[2];
    for (int i = 0; i < elements; ++i)
        sum[i] += a[i] + b[i];
}

static void add(double* a, double* b, double* sum, int times) {
    void* arguments[] = {&a, &b, &sum};
    for (int i = 0; i < times; ++i)
        cudaLaunchKernel(add_kernel, (dim3){8, 1, 1}, (dim3){128, 1, 1}, arguments, 0, NULL);
    cudaDeviceSynchronize();
}

static void add_again(double* a, double* b, double* sum) { add(a, b, sum, 1); }

static double* on_device(const double* values) {
    void* memory;
    cudaMalloc(&memory, bytes);
    if (values)
        cudaMemcpy(memory, values, bytes, cudaMemcpyHostToDevice);
    else
        cudaMemset(memory, 0, bytes);
    return memory;
}

int main(void) {
    static double a[elements], b[elements], result[elements];
    for (int i = 0; i < elements; ++i) {
        a[i] = i;
        b[i] = 2 * i;
    }
    standin_register(add_kernel, "_Z10add_kernelPKdS0_Pd", 3, 12345);
    double *on_a = on_device(a), *on_b = on_device(b), *sum = on_device(NULL);
    add(on_a, on_b, sum, 2);
    add_again(on_a, on_b, sum);
    cudaMemcpy(result, sum, bytes, cudaMemcpyDeviceToHost);
    void* too_much;
    const int error = cudaMalloc(&too_much, (size_t)1 << 50);
    cudaFree(on_a);
    cudaFree(on_b);
    cudaFree(sum);
    printf("%g, error %d, then %d\n", result[elements - 1], error, cudaGetLastError());
    return 0;
}
