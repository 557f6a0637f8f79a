/* Half of the time in a function of 30 ns per call, which hooks cannot time, half in a long one.
   beside_hooks [threads | kill]: on two threads; or killed at the end. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function, always_inline)) static inline
#define OWN __attribute__((noinline, noclone))
#ifndef CALLS
#define CALLS 24000000
#endif
#ifndef ROUNDS
#define ROUNDS 40
#endif
enum { STEPS = 20 };

/* Each step depends on the previous one. */
UNHOOKED unsigned long step(unsigned long x) {
    return x * 6364136223846793005ul + 1442695040888963407ul;
}

OWN unsigned long short_one(unsigned long x) {
    for (int i = 0; i < STEPS; i++)
        x = step(x);
    return x;
}

OWN unsigned long caller(unsigned long x) {
    for (int i = 0; i < CALLS / ROUNDS; i++)
        x = short_one(x);
    return x;
}

OWN unsigned long long_one(unsigned long x) {
    for (long i = 0; i < (long)STEPS * CALLS / ROUNDS; i++)
        x = step(x);
    return x;
}

OWN void* work(void* argument) {
    unsigned long x = 1;
    for (int i = 0; i < ROUNDS; i++)
        x = long_one(caller(x));
    *(unsigned long*)argument = x;
    return 0;
}

int main(int count, char** arguments) {
    unsigned long results[2] = {0, 0};
    if (count > 1 && strcmp(arguments[1], "threads") == 0) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], 0, work, &results[i]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], 0);
    } else {
        work(&results[0]);
    }
    const int is_killed = count > 1 && strcmp(arguments[1], "kill") == 0;
    if (is_killed)  // a trace is first written after one second
        work(&results[1]);
    printf("%lu %lu\n", results[0], results[1]);
    fflush(stdout);
    if (is_killed)
        kill(getpid(), SIGKILL);
    return 0;
}
