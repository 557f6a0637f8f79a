/* Pairs of threads that begin to call a function at the same moment, and live until the end.
 * Argument: how many threads. */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t end;
static int sink;
static int ready[256];

__attribute__((noinline)) void step(void) { __atomic_add_fetch(&sink, 1, __ATOMIC_RELAXED); }

__attribute__((no_instrument_function)) static void* work(void* argument) {
    int* const of_pair = argument;
    __atomic_add_fetch(of_pair, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(of_pair, __ATOMIC_SEQ_CST) < 2)
        ;
    for (int i = 0; i < 10; i++)
        step();
    pthread_barrier_wait(&end);
    return 0;
}

__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    enum { most = 256 };
    const int threads = count > 1 ? atoi(arguments[1]) : 16;
    pthread_t all[most];
    if (threads > most || threads % 2)
        return 1;
    pthread_barrier_init(&end, 0, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], 0, work, &ready[i / 2]);
    pthread_barrier_wait(&end);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], 0);
    return 0;
}
