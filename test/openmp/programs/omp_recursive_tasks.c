// Tasks that create tasks: the number of call paths must not grow with the number of tasks.
#include <stdio.h>

__attribute__((noinline)) long fibonacci(int n) {
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long result = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        result = fibonacci(17);
    }
    printf("%ld\n", result);
    return 0;
}
