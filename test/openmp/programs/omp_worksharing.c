// Every kind of loop, sections, single and master, in a team of two.
#include <stdio.h>

#define TEAM 2
#define ITERATIONS 12
static int results[ITERATIONS];

__attribute__((noinline)) void iteration(int i) { results[i]++; }
__attribute__((noinline)) void in_section(int i) { results[i]++; }
__attribute__((noinline)) void in_single(int i) { results[i]++; }
__attribute__((noinline)) void in_master(int i) { results[i]++; }
__attribute__((noinline)) void in_ordered(int i) { results[i]++; }

__attribute__((noinline)) void static_loop(void) {
#pragma omp parallel for num_threads(TEAM) schedule(static)
    for (int i = 0; i < ITERATIONS; i++)
        iteration(i);
}

__attribute__((noinline)) void dynamic_loop(void) {
#pragma omp parallel for num_threads(TEAM) schedule(dynamic)
    for (int i = 0; i < ITERATIONS; i++)
        iteration(i);
}

__attribute__((noinline)) void guided_loop(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(guided)
        for (int i = 0; i < ITERATIONS; i++)
            iteration(i);
    }
}

__attribute__((noinline)) void runtime_loop(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < ITERATIONS; i++)
            iteration(i);
    }
}

__attribute__((noinline)) void unsigned_loop(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(dynamic, 2)
        for (unsigned long long i = 0; i < ITERATIONS; i++)
            iteration((int)i);
    }
}

__attribute__((noinline)) void ordered_loop(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(dynamic) ordered
        for (int i = 0; i < ITERATIONS; i++) {
#pragma omp ordered
            in_ordered(i);
        }
    }
}

__attribute__((noinline)) void some_sections(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp sections
        {
#pragma omp section
            in_section(0);
#pragma omp section
            in_section(1);
#pragma omp section
            in_section(2);
        }
    }
}

__attribute__((noinline)) void combined_sections(void) {
#pragma omp parallel sections num_threads(TEAM)
    {
#pragma omp section
        in_section(3);
#pragma omp section
        in_section(4);
    }
}

__attribute__((noinline)) void singles(void) {
#pragma omp parallel num_threads(TEAM)
    {
        for (int i = 0; i < 5; i++) {
#pragma omp single
            in_single(i);
        }
#pragma omp master
        in_master(0);
    }
}

__attribute__((noinline)) void copied_single(void) {
    int value;
#pragma omp parallel num_threads(TEAM) private(value)
    {
#pragma omp single copyprivate(value)
        {
            in_single(7);
            value = 42;
        }
#pragma omp atomic
        results[8] += value;
    }
}

int main(void) {
    static_loop();
    dynamic_loop();
    guided_loop();
    runtime_loop();
    unsigned_loop();
    ordered_loop();
    some_sections();
    combined_sections();
    singles();
    copied_single();
    for (int i = 0; i < ITERATIONS; i++)
        printf("%d ", results[i]);
    printf("\n");
    return 0;
}
