// Reductions over tasks, and tasks that an event completes: here the library itself reads and
// writes arguments of regions and tasks.
#include <omp.h>
#include <stdio.h>

__attribute__((noinline)) int term(int i) { return i; }

__attribute__((noinline)) int over_region(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += term(i);
        }
    }
    return sum;
}

__attribute__((noinline)) int over_group(void) {
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += term(i);
        }
    }
    return sum;
}

__attribute__((noinline)) int over_taskloop(void) {
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(5)
        for (int i = 1; i <= 10; i++)
            sum += term(i);
    }
    return sum;
}

__attribute__((noinline)) int detached(void) {
    int result = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : result) shared(result)
            {
                result = term(20);
                omp_fulfill_event(event);
            }
#pragma omp task depend(in : result) shared(result)
            result += term(1);
#pragma omp taskwait
        }
    }
    return result;
}

int main(void) {
    printf("%d", over_region());
    printf(" %d", over_group());
    printf(" %d", over_taskloop());
    printf(" %d\n", detached());
    return 0;
}
