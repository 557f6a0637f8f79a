/* A process forks before it uses the device; parent and child launch kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standin_cuda.h"

__global__ static void empty(void** arguments) { (void)arguments; }

static void launch(int n) {
    for (int i = 0; i < n; ++i)
        cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

int main(void) {
    standin_register(empty, "empty", 0, 100);
    const pid_t id = fork();
    if (id == 0) {
        launch(6);
        exit(3);
    }
    launch(9);
    int status;
    waitpid(id, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    return 0;
}
