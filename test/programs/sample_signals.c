/* Timers, masks and sleeping calls of a program that samples constantly interrupt: it prints the
   same as alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "spin.h"

static volatile sig_atomic_t profiled, alarmed, queued, odd;
static volatile int stop;

static void on_prof(int number) { (void)number, profiled++; }
static void on_alarm(int number) { (void)number, alarmed++; }
static void on_queued(int number) { (void)number, queued++; }
static void on_odd(int number) { (void)number, odd++; }

static const char* said(int result) { return result < 0 ? strerror(errno) : "fine"; }

/* Short computations between sleeps: many samples arrive right before a system call. */
static void sleeps(void) {
    struct timespec nap = {0, 2000000}, until;
    struct timeval wait;
    struct epoll_event event;
    sem_t semaphore;
    int failed = 0, epoll = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < 40; i++) {
        spin(0.0007);
        failed += nanosleep(&nap, NULL) != 0;
        spin(0.0003);
        failed += poll(NULL, 0, 2) != 0;
        spin(0.0004);
        wait = (struct timeval){0, 2000};
        failed += select(0, NULL, NULL, NULL, &wait) != 0;
        spin(0.0006);
        failed += epoll_wait(epoll, &event, 1, 2) != 0;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        if (until.tv_nsec >= 1000000000)
            until.tv_sec++, until.tv_nsec -= 1000000000;
        spin(0.0005);
        failed += sem_timedwait(&semaphore, &until) != -1 || errno != ETIMEDOUT;
    }
    close(epoll);
    printf("calls that were cut short: %d\n", failed);
}

static void* waits_for_any(void* unused) {
    sigset_t all;
    int number = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    spin(0.02);
    printf("sigwait: %s", said(sigwait(&all, &number)));
    printf(", %d\n", number == SIGUSR1);
    struct timespec nap = {0, 10000000};
    spin(0.02);
    printf("sigtimedwait: %s\n", said(sigtimedwait(&all, NULL, &nap)));
    return unused;
}

static void masks(void) {
    sigset_t all, before, now;
    struct sigaction action, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("before:");
    for (int i = 1; i < 32; i++)
        printf(" %d", sigismember(&before, i));
    printf("\nblocked:");
    for (int i = 1; i < 32; i++)
        printf(" %d", sigismember(&now, i));
    spin(0.01);
    sigpending(&now);
    printf("\npending:");
    for (int i = 1; i < 32; i++)
        printf(" %d", sigismember(&now, i));
    int file = signalfd(-1, &all, SFD_NONBLOCK);
    struct signalfd_siginfo information;
    spin(0.01);
    printf("\nsignalfd: %s\n", said((int)read(file, &information, sizeof information)));
    close(file);
    sigprocmask(SIG_SETMASK, &before, NULL);
    printf("actions:");
    for (int i = 1; i < NSIG; i++)
        if (sigaction(i, NULL, &old) == 0)
            printf(" %d", old.sa_handler != SIG_DFL);
    /* A handler for everything, as set by test frameworks and crash reporters. */
    memset(&action, 0, sizeof action);
    action.sa_handler = on_odd;
    printf("\nset: %s", said(sigaction(SIGURG, &action, &old)));
    printf(" %d", old.sa_handler == SIG_DFL);
    sigaction(SIGURG, NULL, &old);
    printf(" %d\n", old.sa_handler == on_odd);
    spin(0.02);
    printf("odd ones: %d", odd);
    raise(SIGURG);
    printf(" %d", odd);
    signal(SIGURG, SIG_IGN);
    raise(SIGURG);
    printf(" %d %d\n", odd, signal(SIGURG, SIG_DFL) == SIG_IGN);
}

int main(void) {
    struct itimerval every = {{0, 3000}, {0, 3000}}, none = {{0, 0}, {0, 0}}, shown;
    struct sigevent event;
    struct itimerspec often = {{0, 5000000}, {0, 5000000}};
    timer_t timer;
    pthread_t thread;
    masks();
    signal(SIGPROF, on_prof);
    setitimer(ITIMER_PROF, &every, NULL);
    getitimer(ITIMER_PROF, &shown);
    printf("interval: %ld\n", (long)shown.it_interval.tv_usec / 1000);
    for (int i = 0; i < 100 && profiled <= 3; i++)
        spin(0.02);
    printf("profiling signals: %d\n", profiled > 3);
    setitimer(ITIMER_PROF, &none, NULL);
    signal(SIGRTMIN + 3, on_queued);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 3;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    spin(0.1);
    printf("timer signals: %d\n", queued > 3);
    timer_delete(timer);
    signal(SIGALRM, on_alarm);
    alarm(1);
    printf("pause: %s", said(pause()));
    printf(", %d\n", alarmed);
    sleeps();
    pthread_create(&thread, NULL, waits_for_any, NULL);
    struct timespec nap = {0, 100000000};
    nanosleep(&nap, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
