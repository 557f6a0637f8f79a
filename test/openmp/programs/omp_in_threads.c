// The program's own threads open parallel regions at the same time.
#include <pthread.h>
#include <stdio.h>

static int total;

__attribute__((noinline)) void leaf(void) {
#pragma omp atomic
    total++;
}

__attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    leaf();
}

void* run(void* argument) {
    for (int i = 0; i < 10; i++)
        region();
    return argument;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    region();
    printf("%d\n", total);
    return 0;
}
