// A thread of the team other than the encountering one ends the program.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) void work(void) { usleep(1000); }

__attribute__((noinline)) void leave(void) {
    printf("leaving\n");
    exit(3);
}

__attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    {
        work();
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            leave();
        for (;;)
            pause();
    }
}

int main(void) {
    region();
    return 0;
}
