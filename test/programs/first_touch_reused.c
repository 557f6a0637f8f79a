// A thread fills a large block and then waits, while the main thread frees it, allocates another
// one of the same size, which gets the same address, and fills that. Then the thread uses it.
// Prints whether the addresses were equal, and the sum.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 8 << 20, rounds = 60 };
static double* field;
static pthread_barrier_t barrier;

__attribute__((noinline)) static void fill(void) {
    for (size_t i = 0; i < count; i++)
        field[i] = 1.0;
}

__attribute__((noinline)) static double add_up(void) {
    double sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            sum += field[i];
    return sum;
}

static void* work(void* sum) {
    fill();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    *(double*)sum = add_up();
    return NULL;
}

int main(void) {
    double sum = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    field = malloc(count * sizeof(double));
    pthread_t thread;
    pthread_create(&thread, NULL, work, &sum);
    pthread_barrier_wait(&barrier);
    double* const first = field;
    free(field);
    field = malloc(count * sizeof(double));
    fill();
    printf("%d ", field == first);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    printf("%.0f\n", sum);
    free(field);
    return 0;
}
