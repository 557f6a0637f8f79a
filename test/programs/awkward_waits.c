/* Waits that end in unusual ways. Argument: what happens. Prints what the program sees of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int ends[2];

static void on_alarm(int number) { (void)number; }

static void wait_for_nothing(void) {
    char byte;
    errno = 0;
    const long bytes = read(ends[0], &byte, 1);
    printf("read %ld %s\n", bytes, strerror(errno));
}

static void clean_up(void* unused) {
    (void)unused;
    puts("cleaned up");
}
static void* wait_until_cancelled(void* unused) {
    pthread_cleanup_push(clean_up, 0);
    wait_for_nothing();
    pthread_cleanup_pop(0);
    return unused;
}

static void* lock_and_end(void* unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static void* lock_again(void* unused) {
    const int error = pthread_mutex_lock(&mutex);
    printf("%s\n", strerror(error));
    return unused;
}

static void nap(void) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, 0);
}

/* A signal ends the wait. */
static int interrupted(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval soon = {{0, 0}, {0, 20000}};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &soon, 0);
    wait_for_nothing();
    return 0;
}

static int cancelled(void) {
    pthread_t thread;
    void* result;
    pthread_create(&thread, 0, wait_until_cancelled, 0);
    nap();
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    return 0;
}

/* The owner of a robust mutex has ended: the next one is told. */
static int owner_died(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, lock_and_end, 0);
    pthread_join(thread, 0);
    const int error = pthread_mutex_lock(&mutex);
    printf("%s\n", strerror(error));
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    return error == EOWNERDEAD ? 0 : 1;
}

/* A mutex that checks for errors says that its owner wants it again. */
static int deadlock(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    lock_again(0);
    return 0;
}

static void* lock_nap_and_end(void* unused) {
    pthread_mutex_lock(&mutex);
    nap();
    return unused;
}

/* The same while another thread waits for it. */
static int owner_dies_later(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, lock_nap_and_end, 0);
    while (pthread_mutex_trylock(&mutex) == 0) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    const int error = pthread_mutex_lock(&mutex);
    printf("%s\n", strerror(error));
    pthread_join(thread, 0);
    return error == EOWNERDEAD ? 0 : 1;
}

static void* lock_nap_and_unlock(void* unused) {
    pthread_mutex_lock(&mutex);
    nap();
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* Four threads want a mutex that gives its owner their priority. */
static int priority_inherited(void) {
    pthread_mutexattr_t attributes;
    pthread_t threads[4];
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&mutex, &attributes);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, lock_nap_and_unlock, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    printf("%s\n", strerror(pthread_mutex_destroy(&mutex)));
    return 0;
}

/* Waits for a lock with a limit, and for a semaphore until a signal comes. */
static int given_up(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval soon = {{0, 0}, {0, 20000}};
    struct timespec until;
    sem_t semaphore;
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    printf("%s\n", strerror(pthread_mutex_timedlock(&mutex, &until)));
    sem_init(&semaphore, 0, 0);
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &soon, 0);
    const int result = sem_wait(&semaphore);
    printf("%d %s\n", result, strerror(errno));
    return 0;
}

/* The program uses the same kind of event itself. */
static int uses_the_event(void) {
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_DUMMY,
                                         .context_switch = 1,
                                         .exclude_kernel = 1};
    const int event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (event < 0)
        return puts("no events") < 0;
    struct perf_event_mmap_page* ring = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    for (int i = 0; i < 3; i++)
        nap();
    printf("event %d, %s\n", event, ring->data_head >= 96 ? "three naps" : "fewer naps");
    return 0;
}

/* New threads may not lock memory for the records of the kernel. */
static int no_locked_memory(void) {
    const struct rlimit none = {0, 0};
    printf("%d\n", setrlimit(RLIMIT_MEMLOCK, &none));
    return priority_inherited();
}

/* New threads may not open events. */
static int no_events(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    printf("%d\n", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    printf("%d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
    return priority_inherited();
}

/* Parent and child wait for each other, with a mutex that both see. */
static int in_shared_memory(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t* shared =
        mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(shared, &attributes);
    pthread_mutex_lock(shared);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(shared);
        nap();
        pthread_mutex_unlock(shared);
        _exit(3);
    }
    nap();
    pthread_mutex_unlock(shared);
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

/* A thread still waits when the program ends. */
static int ends_while_waiting(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait_until_cancelled, 0);
    nap();
    return 5;
}

static int executes(char* program) {
    nap();
    fflush(stdout);
    execl(program, program, "interrupted", (char*)0);
    return 1;
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        int (*run)(void);
    } all[] = {{"interrupted", interrupted},
               {"cancelled", cancelled},
               {"owner_died", owner_died},
               {"deadlock", deadlock},
               {"owner_dies_later", owner_dies_later},
               {"priority_inherited", priority_inherited},
               {"given_up", given_up},
               {"uses_the_event", uses_the_event},
               {"no_locked_memory", no_locked_memory},
               {"no_events", no_events},
               {"in_shared_memory", in_shared_memory},
               {"ends_while_waiting", ends_while_waiting}};
    if (count != 2 || pipe(ends))
        return 1;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(arguments[1], all[i].name))
            return all[i].run();
    return executes(arguments[0]);
}
