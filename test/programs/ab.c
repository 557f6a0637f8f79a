// Calls work() as often as asked, with as many steps as asked: ab CALLS STEPS [STATUS]. Prints the
// number of calls.
#include <stdio.h>
#include <stdlib.h>

static volatile double sink = 1;

__attribute__((noinline)) static void work(long steps) {
    double x = sink;
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

int main(int argc, char** argv) {
    const long calls = argc > 1 ? atol(argv[1]) : 1, steps = argc > 2 ? atol(argv[2]) : 1;
    for (long i = 0; i < calls; i++)
        work(steps);
    printf("%ld\n", calls);
    if (argc > 3)
        fprintf(stderr, "ends with a status\n");
    return argc > 3 ? atoi(argv[3]) : 0;
}
