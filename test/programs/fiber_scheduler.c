/* A scheduler and its tasks: all run the same function, on stacks side by side in one block of
 * memory, in turn; "fiber_scheduler threads": a scheduler on each of two threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#define FUNCTION __attribute__((noinline)) static

enum { tasks = 4, stack_bytes = 64 << 10 };
struct Scheduler {
    ucontext_t self, task[tasks];
    int steps[tasks], ended[tasks], current;
};
static __thread struct Scheduler* scheduler;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}
FUNCTION void yield(void) {
    struct Scheduler* mine = scheduler;
    swapcontext(&mine->task[mine->current], &mine->self);
}
FUNCTION void step(int depth) {
    if (depth > 0)
        step(depth - 1);
    else
        yield();
    leaf();
}
FUNCTION void task(int number) {
    for (int i = 0; i <= number; i++) {
        step(number + i);
        sleep_ms(5);
    }
    scheduler->ended[number] = 1;
}
FUNCTION void start(struct Scheduler* mine, char* stacks) {
    for (int i = 0; i < tasks; i++) {
        getcontext(&mine->task[i]);
        mine->task[i].uc_stack.ss_sp = stacks + i * stack_bytes;
        mine->task[i].uc_stack.ss_size = stack_bytes;
        mine->task[i].uc_link = &mine->self;
        makecontext(&mine->task[i], (void (*)(void))task, 1, i);
    }
}
FUNCTION void dispatch(int number) {
    scheduler->current = number;
    swapcontext(&scheduler->self, &scheduler->task[number]);
}
FUNCTION void* run_all(void* unused) {
    char* stacks = malloc(tasks * stack_bytes);
    scheduler = calloc(1, sizeof *scheduler);
    start(scheduler, stacks);
    for (int left = 1; left > 0;) {
        left = 0;
        for (int i = 0; i < tasks; i++)
            if (!scheduler->ended[i]) {
                dispatch(i);
                left++;
            }
        sleep_ms(5);
    }
    free(scheduler);
    free(stacks);
    return unused;
}

int main(int count, char** arguments) {
    (void)arguments;
    if (count > 1) {
        pthread_t thread[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&thread[i], NULL, run_all, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    } else {
        run_all(NULL);
    }
    puts("done");
    return 0;
}
