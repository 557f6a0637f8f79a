/* Counts its own calls in a shared file, so that they are known however it ends: argv[1] is the
   file, argv[2] the number of threads, argv[3] the number of steps of each (0: until killed). */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH 12
#define MOST_THREADS 8
#define HIDDEN __attribute__((no_instrument_function))

/* For each thread: steps begun and steps finished. */
static volatile struct { uint64_t begun, finished; } * counts;
static uint64_t steps;
static volatile int sink;

void even(unsigned bits, int depth);
void odd(unsigned bits, int depth);

static HIDDEN void go_on(unsigned bits, int depth) {
    if (depth == 0)
        sink++;
    else if (bits & 1)
        odd(bits >> 1, depth - 1);
    else
        even(bits >> 1, depth - 1);
}

void even(unsigned bits, int depth) { go_on(bits, depth); }
void odd(unsigned bits, int depth) { go_on(bits, depth); }

/* DEPTH calls, on a path that few other steps take. */
void step(unsigned number) { go_on(number * 2654435761u >> 7, DEPTH); }

void* work(void* argument) {
    intptr_t thread = (intptr_t)argument;
    for (uint64_t i = 0; steps == 0 || i < steps; i++) {
        counts[thread].begun = i + 1;
        step((unsigned)i);
        counts[thread].finished = i + 1;
    }
    return NULL;
}

int main(int count, char** arguments) {
    if (count != 4)
        return 2;
    int file = open(arguments[1], O_RDWR | O_CREAT, 0666);
    int threads = atoi(arguments[2]);
    steps = strtoull(arguments[3], NULL, 10);
    if (file < 0 || threads > MOST_THREADS || ftruncate(file, 4096) != 0)
        return 2;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (counts == MAP_FAILED)
        return 2;
    pthread_t others[MOST_THREADS];
    for (intptr_t i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void*)i);
    work((void*)0);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
