/* main ends by pthread_exit; a detached thread continues and ends the process by returning. */
#include <pthread.h>
#include <stdio.h>
#define FUNCTION __attribute__((noinline)) static

static pthread_t main_thread;

FUNCTION void early(void) { __asm__ volatile(""); }
FUNCTION void late(void) { puts("main is gone"); }
FUNCTION void* worker(void* unused) {
    early();
    pthread_join(main_thread, NULL);
    for (int i = 0; i < 3; i++)
        late();
    return unused;
}
FUNCTION void leave(void) { pthread_exit(NULL); }

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    leave();
    return 7; /* not reached */
}
