/* A process that has used the device forks; the child does something else, and ends. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standin_cuda.h"

__global__ static void empty(void** arguments) { (void)arguments; }

static void launch(void) {
    cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

static int child(void) { return 5; }

int main(void) {
    standin_register(empty, "empty", 0, 100);
    for (int i = 0; i < 10; ++i)
        launch();
    fflush(stdout);
    const pid_t id = fork();
    if (id == 0)
        exit(child());
    int status;
    waitpid(id, &status, 0);
    launch();
    printf("child ended with %d\n", WEXITSTATUS(status));
    return 0;
}
