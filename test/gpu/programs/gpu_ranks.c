/* Each rank uses the device with its number, or all use the first one: gpu_ranks [shared] */
#include <mpi.h>
#include <stdio.h>

#include "standin_cuda.h"

enum { size = 10000 };

__global__ static void count(void** arguments) { **(long**)arguments[0] += 1; }

static void launch(void* memory) {
    void* arguments[] = {&memory};
    cudaLaunchKernel(count, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL);
}

int main(int argc, char** argv) {
    static long host[size / sizeof(long)];
    void* memory;
    int rank;
    long sum;
    (void)argv;
    standin_register(count, "count", 1, 6000);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(argc > 1 ? 0 : rank);
    cudaMalloc(&memory, size);
    cudaMemcpy(memory, host, size, cudaMemcpyHostToDevice);
    for (int i = 0; i <= rank; ++i)
        launch(memory);
    cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost);
    MPI_Reduce(&host[0], &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
