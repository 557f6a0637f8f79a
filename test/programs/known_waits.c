/* Waits in ten ways, each in a function of its own, and prints for each by its own clock how long
 * that took, and the thread's processor time in it: "wait_in_sleep 101.234 0.123", in ms. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define OUTSIDE __attribute__((no_instrument_function))

enum { rounds = 10 };
static double waited[10], used[10];
static volatile int sink;

static double ms(clockid_t clock) OUTSIDE;
static double ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static void pause_ms(long ms) OUTSIDE;
static void pause_ms(long ms) {
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, 0);
}

/* Between the two, the calling function waits. */
static double wall_before, cpu_before;
static void begin(void) OUTSIDE;
static void begin(void) {
    wall_before = ms(CLOCK_MONOTONIC);
    cpu_before = ms(CLOCK_THREAD_CPUTIME_ID);
}
static void end(int which) OUTSIDE;
static void end(int which) {
    waited[which] += ms(CLOCK_MONOTONIC) - wall_before;
    used[which] += ms(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier, ready;
static int ends[2], sockets[2];
static int happened;

static void wait_in_sleep(void) {
    begin();
    pause_ms(9);
    end(0);
}
static void wait_for_mutex(void) {
    begin();
    pthread_mutex_lock(&mutex);
    end(1);
    pthread_mutex_unlock(&mutex);
}
static void wait_for_rwlock(void) {
    begin();
    pthread_rwlock_rdlock(&rwlock);
    end(2);
    pthread_rwlock_unlock(&rwlock);
}
static void wait_for_condition(void) {
    pthread_mutex_lock(&mutex);
    begin();
    while (!happened)
        pthread_cond_wait(&condition, &mutex);
    end(3);
    happened = 0;
    pthread_mutex_unlock(&mutex);
}
static void wait_for_pipe(void) {
    char byte;
    begin();
    sink += (int)read(ends[0], &byte, 1);
    end(4);
}
static void wait_for_socket(void) {
    char byte;
    begin();
    sink += (int)recv(sockets[0], &byte, 1, 0);
    end(5);
}
static void wait_in_poll(void) {
    char byte;
    struct pollfd file = {ends[0], POLLIN, 0};
    begin();
    poll(&file, 1, -1);
    end(6);
    sink += (int)read(ends[0], &byte, 1);
}
static void wait_for_file(int file, void* block) {
    begin();
    for (int i = 0; i < 20; i++) {
        sink += (int)pwrite(file, block, 4096, i * 4096);
        fsync(file);
    }
    end(7);
}
static void wait_for_thread(pthread_t thread) {
    begin();
    pthread_join(thread, 0);
    end(8);
}
static void wait_in_barrier(void) {
    begin();
    pthread_barrier_wait(&barrier);
    end(9);
}

/* The other thread does after 9 ms what the first one waits for. */
static void* other(void* unused) OUTSIDE;
static void* other(void* unused) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        pthread_barrier_wait(&ready);
        pause_ms(9);
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&ready);

        pthread_rwlock_wrlock(&rwlock);
        pthread_barrier_wait(&ready);
        pause_ms(9);
        pthread_rwlock_unlock(&rwlock);

        pthread_barrier_wait(&ready);
        pause_ms(9);
        pthread_mutex_lock(&mutex);
        happened = 1;
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&mutex);

        pthread_barrier_wait(&ready);
        pause_ms(9);
        sink += (int)write(ends[1], "x", 1);
        pthread_barrier_wait(&ready);
        pause_ms(9);
        sink += (int)send(sockets[1], "x", 1, 0);
        pthread_barrier_wait(&ready);
        pause_ms(9);
        sink += (int)write(ends[1], "x", 1);

        pthread_barrier_wait(&ready);
        pause_ms(9);
        pthread_barrier_wait(&barrier);
    }
    pause_ms(90);
    return unused;
}

static void work_together(int file, void* block) {
    for (int i = 0; i < rounds; i++) {
        wait_in_sleep();
        pthread_barrier_wait(&ready);
        wait_for_mutex();
        pthread_barrier_wait(&ready);
        pthread_barrier_wait(&ready);
        wait_for_rwlock();
        pthread_barrier_wait(&ready);
        wait_for_condition();
        pthread_barrier_wait(&ready);
        wait_for_pipe();
        pthread_barrier_wait(&ready);
        wait_for_socket();
        pthread_barrier_wait(&ready);
        wait_in_poll();
        wait_for_file(file, block);
        pthread_barrier_wait(&ready);
        wait_in_barrier();
    }
}

int main(int count, char** arguments) {
    static const char* const names[] = {"wait_in_sleep",      "wait_for_mutex", "wait_for_rwlock",
                                        "wait_for_condition", "wait_for_pipe",  "wait_for_socket",
                                        "wait_in_poll",       "wait_for_file",  "wait_for_thread",
                                        "wait_in_barrier"};
    char name[] = "known_waits_XXXXXX";
    const int file = mkstemp(name);
    void* block;
    pthread_t thread;
    if (file < 0 || pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
        posix_memalign(&block, 4096, 4096))
        return 1;
    unlink(name);
    fcntl(file, F_SETFL, O_DIRECT);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_barrier_init(&ready, 0, 2);
    pthread_create(&thread, 0, other, 0);
    work_together(file, block);
    wait_for_thread(thread);
    for (int i = 0; i < 10; i++)
        printf("%s %.3f %.3f\n", names[i], waited[i], used[i]);
    return count > 1 && arguments[1][0] == 'f';
}
