/* Kernels before, during and after a pause. */
#include <stdio.h>

#include "standin_cuda.h"
#include "vftrace.h"

__global__ static void empty(void** arguments) { (void)arguments; }

static void launch(int n) {
    for (int i = 0; i < n; ++i)
        cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

int main(void) {
    standin_register(empty, "empty", 0, 100);
    launch(5);
    vftrace_pause();
    launch(20);
    vftrace_resume();
    launch(7);
    puts("done");
    return 0;
}
