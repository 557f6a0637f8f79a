/* Known shares of processor time in nested functions, in the main thread and another one: the loops
   are the same, so times are proportional to the counts. */
#include <pthread.h>
#include <stdio.h>

static volatile double sink;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

__attribute__((noinline)) void deep(int level, long turns) {
    if (level > 0)
        deep(level - 1, turns);
    else
        spin(turns);
    sink = level;
}

__attribute__((noinline)) void three_parts(void) {
    deep(5, 300000);
    sink = 1;
}

__attribute__((noinline)) void one_part(void) {
    spin(100000);
    sink = 2;
}

__attribute__((noinline)) void* two_parts(void* unused) {
    for (int i = 0; i < 400; i++)
        spin(200000);
    sink = 3;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, two_parts, NULL);
    for (int i = 0; i < 400; i++) {
        three_parts();
        one_part();
    }
    pthread_join(thread, NULL);
    printf("done\n");
    return 3;
}
