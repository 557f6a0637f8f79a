/* A pause stops recording for all threads: "pause_threads same" resumes where it paused,
 * "pause_threads other" in another function on another thread. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <vftrace.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t to_worker, to_main;
static int worker_resumes;

FUNCTION void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}
FUNCTION void seen(void) { __asm__ volatile(""); }
FUNCTION void unseen(void) { __asm__ volatile(""); }
FUNCTION void resumes_below(void) { vftrace_resume(); }
FUNCTION void open_call(void) { /* begins before the pause and ends after it */
    seen();
    sem_post(&to_main);
    sem_wait(&to_worker);
    for (int i = 0; i < 100; i++)
        unseen();
    if (worker_resumes)
        resumes_below();
    sem_post(&to_main);
    sem_wait(&to_worker);
    seen();
    sleep_ms(20);
}
FUNCTION void* worker(void* unused) {
    open_call();
    seen();
    return unused;
}
FUNCTION void* late_worker(void* unused) { /* lives while the program is paused */
    unseen();
    return unused;
}
FUNCTION void pauses_below(void) {
    seen();
    vftrace_pause();
}

int main(int count, char** arguments) {
    pthread_t thread, late;
    worker_resumes = count > 1 && strcmp(arguments[1], "other") == 0;
    sem_init(&to_worker, 0, 0);
    sem_init(&to_main, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&to_main);
    pauses_below();
    unseen();
    pthread_create(&late, NULL, late_worker, NULL);
    pthread_join(late, NULL);
    sleep_ms(300);
    sem_post(&to_worker);
    sem_wait(&to_main);
    if (!worker_resumes)
        vftrace_resume();
    sem_post(&to_worker);
    seen();
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
