/* empty_kernels N [synchronise every M]: kernels that do nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "standin_cuda.h"

__global__ static void empty(void** arguments) { (void)arguments; }

static void launch(long n, long every) {
    for (long i = 1; i <= n; ++i) {
        cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
        if (every && i % every == 0)
            cudaDeviceSynchronize();
    }
}

int main(int argc, char** argv) {
    standin_register(empty, "empty", 0, 100);
    launch(argc > 1 ? atol(argv[1]) : 1000, argc > 2 ? atol(argv[2]) : 0);
    puts("done");
    return 0; /* without waiting for the device */
}
