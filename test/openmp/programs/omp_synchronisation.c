// Barriers, critical regions, locks, in a team of two. One thread waits at known places.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define TEAM 2
static int total;
static omp_lock_t lock;
static omp_nest_lock_t nested;

__attribute__((noinline)) void slow_part(void) { usleep(60000); }
// Two locks do not exclude each other.
__attribute__((noinline)) void in_critical(void) { __atomic_fetch_add(&total, 1, 5); }
__attribute__((noinline)) void in_named(void) { __atomic_fetch_add(&total, 1, 5); }
__attribute__((noinline)) void in_lock(void) { __atomic_fetch_add(&total, 1, 5); }

// Both threads are inside for 60 ms, one after the other.
__attribute__((noinline)) void criticals(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp critical
        {
            in_critical();
            slow_part();
        }
        for (int i = 0; i < 3; i++) {
#pragma omp critical(by_name)
            in_named();
        }
    }
}

__attribute__((noinline)) void locks(void) {
#pragma omp parallel num_threads(TEAM)
    {
        for (int i = 0; i < 4; i++) {
            omp_set_lock(&lock);
            in_lock();
            omp_unset_lock(&lock);
        }
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        in_lock();
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
        if (omp_test_lock(&lock))
            omp_unset_lock(&lock);
    }
}

// Thread 0 waits for thread 1, which is late.
__attribute__((noinline)) void barriers(void) {
#pragma omp parallel num_threads(TEAM)
    {
        if (omp_get_thread_num() == 1)
            slow_part();
#pragma omp barrier
#pragma omp atomic
        total++;
#pragma omp barrier
    }
}

// The encountering thread does all the work: the other waits at the end, and then idles.
__attribute__((noinline)) void unbalanced(void) {
#pragma omp parallel num_threads(TEAM)
    {
        if (omp_get_thread_num() == 0)
            slow_part();
    }
}

int main(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
    criticals();
    locks();
    barriers();
    unbalanced();
    slow_part();
    slow_part();
    slow_part();
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nested);
    printf("%d\n", total);
    return 0;
}
