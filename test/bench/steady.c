/* Does the same work all the time, in a few long calls, so that small additional costs can be
   measured. */
#include <stdlib.h>

static double x = 1;

static void work(long steps) {
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
}

int main(int argc, char** argv) {
    const long steps = argc > 1 ? atol(argv[1]) : 1;
    for (int i = 0; i < 400; i++)
        work(steps / 400);
    return x == 0;
}
