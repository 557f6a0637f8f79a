/* Plugins, one after the other at the same address, whose functions run on several threads at the
 * same time: "dl_threads ROUNDS A.so B.so". The threads outlive the plugins. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 3, calls = 20 };
static pthread_barrier_t opened, used;
static int (*call)(int);
static int rounds;

FUNCTION int use(void) {
    int sum = 0;
    for (int i = 0; i < calls; i++)
        sum += call(i);
    return sum;
}
FUNCTION void* worker(void* unused) {
    for (int round = 0; round < 2 * rounds; round++) {
        pthread_barrier_wait(&opened);
        use();
        pthread_barrier_wait(&used);
    }
    return unused;
}
FUNCTION void* open_plugin(const char* path) {
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        puts(dlerror());
        exit(1);
    }
    call = (int (*)(int))dlsym(plugin, "call");
    return plugin;
}

int main(int count, char** arguments) {
    pthread_t thread[threads];
    rounds = atoi(arguments[1]);
    pthread_barrier_init(&opened, NULL, threads + 1);
    pthread_barrier_init(&used, NULL, threads + 1);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int round = 0; round < rounds; round++)
        for (int i = 2; i < count; i++) {
            void* plugin = open_plugin(arguments[i]);
            pthread_barrier_wait(&opened);
            pthread_barrier_wait(&used);
            dlclose(plugin);
        }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    puts("done");
    return 0;
}
