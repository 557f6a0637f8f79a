// A process that forks before it has a team; both continue with their own regions.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int total;

__attribute__((noinline)) void leaf(void) {
#pragma omp atomic
    total++;
}

__attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    leaf();
}

int main(void) {
    fflush(stdout);
    pid_t child = fork();
    for (int i = 0; i < (child ? 2 : 3); i++)
        region();
    if (child == 0)
        return total;
    int status;
    waitpid(child, &status, 0);
    printf("%d %d\n", total, WEXITSTATUS(status));
    return 0;
}
