/* A short function that is called directly from a parallel region, which does not have hooks.
 */
#include <stdio.h>

__attribute__((noinline, noclone)) unsigned long short_one(unsigned long x) {
    for (int i = 0; i < 20; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}

int main(void) {
    unsigned long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8; i++) {
        unsigned long x = (unsigned long)i;
        for (int call = 0; call < 5000000; call++)
            x = short_one(x);
        sum += x;
    }
    printf("%lu\n", sum);
    return 0;
}
