/* One thread has a lock for a while, in a function of its own, and another one waits for it. Prints
 * how long each wait took by the program's clock: "wait_for_named 20.1", in ms. An argument: the
 * process kills itself afterwards. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OUTSIDE __attribute__((no_instrument_function))
#define APART __attribute__((noinline, noclone))

enum { rounds = 4, hold_ms = 20 };

static double now_ms(void) OUTSIDE;
static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static void pause_ms(long ms) OUTSIDE;
static void pause_ms(long ms) {
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, 0);
}

/* Where the lock is used and for how long a waiter waited. */
static sem_t is_held, is_over;
static double waited[8];

struct shelf {
    long books;
    pthread_mutex_t mutex;
};

pthread_mutex_t named_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct shelf shelves[3] = {
    {0, PTHREAD_MUTEX_INITIALIZER}, {0, PTHREAD_MUTEX_INITIALIZER}, {0, PTHREAD_MUTEX_INITIALIZER}};
static pthread_mutex_t *made, *unmade;
static pthread_once_t once = PTHREAD_ONCE_INIT;

APART void make_lock(void) { pthread_mutex_init(made, 0); }
APART void make_another_lock(void) { pthread_mutex_init(made, 0); }

APART void hold_for_a_while(void) {
    sem_post(&is_held);
    pause_ms(hold_ms);
}
APART void hold_named(void) {
    pthread_mutex_lock(&named_lock);
    hold_for_a_while();
    pthread_mutex_unlock(&named_lock);
}
APART void hold_table(void) {
    pthread_rwlock_wrlock(&table_lock);
    hold_for_a_while();
    pthread_rwlock_unlock(&table_lock);
}
APART void hold_member(void) {
    pthread_mutex_lock(&shelves[1].mutex);
    hold_for_a_while();
    pthread_mutex_unlock(&shelves[1].mutex);
}
APART void hold_made(void) {
    pthread_mutex_lock(made);
    hold_for_a_while();
    pthread_mutex_unlock(made);
}
APART void hold_made_again(void) {
    pthread_mutex_lock(made);
    hold_for_a_while();
    pthread_mutex_unlock(made);
}
APART void hold_unmade(void) {
    pthread_mutex_lock(unmade);
    hold_for_a_while();
    pthread_mutex_unlock(unmade);
}
APART void hold_once(void) { pthread_once(&once, hold_for_a_while); }

APART void wait_for_named(void) {
    pthread_mutex_lock(&named_lock);
    pthread_mutex_unlock(&named_lock);
}
APART void wait_for_table(void) {
    pthread_rwlock_rdlock(&table_lock);
    pthread_rwlock_unlock(&table_lock);
}
APART void wait_for_member(void) {
    pthread_mutex_lock(&shelves[1].mutex);
    pthread_mutex_unlock(&shelves[1].mutex);
}
APART void wait_for_made(void) {
    pthread_mutex_lock(made);
    pthread_mutex_unlock(made);
}
APART void wait_for_made_again(void) {
    pthread_mutex_lock(made);
    pthread_mutex_unlock(made);
}
APART void wait_for_unmade(void) {
    pthread_mutex_lock(unmade);
    pthread_mutex_unlock(unmade);
}
APART void wait_once(void) { pthread_once(&once, hold_for_a_while); }

static const struct {
    const char* name;
    void (*hold)(void), (*wait)(void);
} steps[] = {{"wait_for_named", hold_named, wait_for_named},
             {"wait_for_table", hold_table, wait_for_table},
             {"wait_for_member", hold_member, wait_for_member},
             {"wait_for_made", hold_made, wait_for_made},
             {"wait_for_made_again", hold_made_again, wait_for_made_again},
             {"wait_for_unmade", hold_unmade, wait_for_unmade},
             {"wait_once", hold_once, wait_once}};
enum { number_of_steps = sizeof steps / sizeof *steps };

static void prepare(int step) {
    if (step == 3)
        make_lock();
    if (step == 4) {
        pthread_mutex_destroy(made);
        make_another_lock();
    }
    if (step == number_of_steps - 1)
        once = PTHREAD_ONCE_INIT;
}

static void* hold(void* argument) {
    (void)argument;
    for (int step = 0; step < number_of_steps; step++)
        for (int round = 0; round < rounds; round++) {
            steps[step].hold();
            sem_wait(&is_over);
        }
    return 0;
}

int main(int argc, char** argv) {
    (void)argv;
    made = malloc(sizeof *made);
    unmade = malloc(sizeof *unmade);
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    memcpy(unmade, &fresh, sizeof fresh);
    sem_init(&is_held, 0, 0);
    sem_init(&is_over, 0, 0);
    prepare(0);
    pthread_t holder;
    pthread_create(&holder, 0, hold, 0);
    for (int step = 0; step < number_of_steps; step++)
        for (int round = 0; round < rounds; round++) {
            sem_wait(&is_held);
            const double begun = now_ms();
            steps[step].wait();
            waited[step] += now_ms() - begun;
            if (round == rounds - 1 && step + 1 < number_of_steps)
                prepare(step + 1);
            else if (step == number_of_steps - 1)
                once = PTHREAD_ONCE_INIT;
            sem_post(&is_over);
        }
    pthread_join(holder, 0);
    for (int step = 0; step < number_of_steps; step++)
        printf("%s %.3f\n", steps[step].name, waited[step]);
    fflush(stdout);
    if (argc > 1)
        kill(getpid(), SIGKILL);
    return 0;
}
