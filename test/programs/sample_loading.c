/* Constantly opens and closes libraries in one thread while others compute and are sampled. The
 * arguments are libraries with a function `plugin_work`. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static volatile double sink;
static volatile int stop;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

__attribute__((noinline)) void* computes(void* unused) {
    while (!stop)
        spin(100000);
    sink = 1;
    return unused;
}

int main(int count, char** arguments) {
    pthread_t thread;
    int loaded = 0;
    pthread_create(&thread, NULL, computes, NULL);
    for (int i = 0; i < 500; i++) {
        void* library = dlopen(arguments[1 + i % (count - 1)], RTLD_NOW);
        void (*work)(void) = library ? (void (*)(void))dlsym(library, "plugin_work") : NULL;
        if (!work)
            return 1;
        work();
        loaded++;
        dlclose(library);
    }
    stop = 1;
    pthread_join(thread, NULL);
    printf("%d\n", loaded);
    return 0;
}
