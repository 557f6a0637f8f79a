/* A plugin for dlopen_plugins.c: NAME is the start function of a thread that it makes. */
#include <pthread.h>
#include <stddef.h>

__attribute__((noinline)) void* NAME(void* unused) {
    __asm__ volatile("");
    return unused;
}
int call(int n);
int call(int n) {
    pthread_t thread;
    pthread_create(&thread, NULL, NAME, NULL);
    pthread_join(thread, NULL);
    return n;
}
