// Functions that the dynamic linker calls during relocation: the resolvers that gcc makes for
// target_clones, and one in the program.
#include <stdio.h>

#ifndef PROGRAM_ALONE
__attribute__((target_clones("avx2", "default"), noinline)) static double sum(const double* values,
                                                                              int count) {
    double result = 0;
    for (int i = 0; i < count; i++)
        result += values[i];
    return result;
}

double sum_of_squares(double* values, int count) {
    for (int i = 0; i < count; i++)
        values[i] *= values[i];
    return sum(values, count);
}
#else
double sum_of_squares(double* values, int count);
#endif

#ifndef LIBRARY_ALONE
static int plain_increment(int number) { return number + 1; }
static int (*choose_increment(void))(int) { return plain_increment; }
int increment(int number) __attribute__((ifunc("choose_increment")));

int main(void) {
    double values[10];
    for (int i = 0; i < 10; i++)
        values[i] = i;
    printf("%g %d\n", sum_of_squares(values, 10), increment(3));
    return 0;
}
#endif
