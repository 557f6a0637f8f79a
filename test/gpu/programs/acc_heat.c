// Constructs of OpenACC: a data region with loops in it, one of them asynchronous, and an update.
#include <stdio.h>

#define SIZE 1000
static double old[SIZE], new[SIZE];

void smooth(void) {
#pragma acc parallel loop present(old, new)
    for (int i = 1; i < SIZE - 1; i++)
        new[i] = 0.5 * old[i] + 0.25 * (old[i - 1] + old[i + 1]);
#pragma acc parallel loop present(old, new) async(1)
    for (int i = 1; i < SIZE - 1; i++)
        old[i] = new[i];
#pragma acc wait(1)
}

void solve(int steps) {
#pragma acc data copy(old) create(new)
    {
        for (int step = 0; step < steps; step++)
            smooth();
#pragma acc update host(old)
    }
}

int main(void) {
    old[SIZE / 2] = 1;
    solve(4);
    solve(1);
    printf("%.6f\n", old[SIZE / 2]);
    return 0;
}
