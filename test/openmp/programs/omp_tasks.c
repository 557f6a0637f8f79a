// Tasks of all kinds: the places of their creation and the numbers of their runs are known, but not
// the threads that run them.
#include <stdio.h>

#define TEAM 2
static int done[16];

struct Large {
    char bytes[3000];
    int number;
};

__attribute__((noinline)) void body(int i) {
#pragma omp atomic
    done[i]++;
}

__attribute__((noinline)) void plain_tasks(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single
        {
            for (int i = 0; i < 20; i++) {
#pragma omp task
                body(0);
            }
#pragma omp taskwait
            body(1);
        }
    }
}

__attribute__((noinline)) void dependent_tasks(void) {
    int value = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single
        {
#pragma omp task depend(out : value) shared(value)
            value = 1;
#pragma omp task depend(inout : value) shared(value)
            value = value * 10 + 2;
#pragma omp task depend(in : value) shared(value)
            body(value == 12 ? 2 : 15);
        }
    }
}

__attribute__((noinline)) void grouped_tasks(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp master
        {
#pragma omp taskgroup
            {
                for (int i = 0; i < 4; i++) {
#pragma omp task
                    body(3);
                }
            }
            body(4);
        }
    }
}

__attribute__((noinline)) void loop_of_tasks(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single
        {
#pragma omp taskloop num_tasks(6)
            for (int i = 0; i < 30; i++)
                body(5);
#pragma omp taskloop grainsize(5) nogroup
            for (unsigned long long i = 0; i < 10; i++)
                body(6);
        }
    }
}

__attribute__((noinline)) void immediate_tasks(int deferred) {
    struct Large large = {.number = 7};
    for (int i = 0; i < (int)sizeof large.bytes; i++)
        large.bytes[i] = (char)i;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single
        {
#pragma omp task if (deferred) firstprivate(large)
            {
                int good = large.number == 7;
                for (int i = 0; i < (int)sizeof large.bytes; i++)
                    good &= large.bytes[i] == (char)i;
                large.number = 0;
                body(good ? 7 : 15);
            }
#pragma omp taskwait
            body(large.number == 7 ? 8 : 15);
        }
    }
}

__attribute__((noinline)) void tasks_without_team(void) {
#pragma omp task
    body(9);
#pragma omp taskwait
}

int main(void) {
    plain_tasks();
    dependent_tasks();
    grouped_tasks();
    loop_of_tasks();
    immediate_tasks(0);
    immediate_tasks(1);
    tasks_without_team();
    for (int i = 0; i < 16; i++)
        printf("%d ", done[i]);
    printf("\n");
    return 0;
}
