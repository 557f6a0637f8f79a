// An OpenMP team works on a large block, which the first thread has filled ("serial"), or each
// thread the part that it uses ("parallel"). Prints the sum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 8 << 20, rounds = 120 };

__attribute__((noinline)) static double* make_field(int in_parallel) {
    double* field = malloc(count * sizeof(double));
#pragma omp parallel for schedule(static) if (in_parallel)
    for (int i = 0; i < count; i++)
        field[i] = 1.0;
    return field;
}

__attribute__((noinline)) static double add_up(const double* field) {
    double sum = 0;
    for (int round = 0; round < rounds; round++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < count; i++)
            sum += field[i];
    return sum;
}

int main(int argc, char** argv) {
    double* field = make_field(argc > 1 && strcmp(argv[1], "parallel") == 0);
    printf("%.0f\n", add_up(field));
    free(field);
    return 0;
}
