/* The program, or with an argument a thread, ends while it is paused. */
#include <pthread.h>
#include <unistd.h>
#include <vftrace.h>
__attribute__((noinline)) static void* pauses(void* nothing) {
    vftrace_pause();
    usleep(100000);
    return nothing;
}
int main(int count, char** arguments) {
    (void)arguments;
    pthread_t thread;
    if (count > 1)
        return pthread_create(&thread, 0, pauses, 0) || pthread_join(thread, 0);
    return pauses(0) != 0;
}
