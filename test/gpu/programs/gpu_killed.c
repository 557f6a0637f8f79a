/* Kernels, a second (or the given time) without activity, and a signal that ends the process:
   gpu_killed SIGNAL [SECONDS] */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "standin_cuda.h"

__global__ static void empty(void** arguments) { (void)arguments; }

static void launch(void) {
    cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

int main(int argc, char** argv) {
    standin_register(empty, "empty", 0, 100);
    for (int i = 0; i < 1000; ++i)
        launch();
    sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    raise(atoi(argv[1]));
    return 0;
}
