/* A plugin that is opened twice closes one of its handles while its function runs. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** arguments) {
    (void)count;
    void *plugin = dlopen(arguments[1], RTLD_NOW), *again = dlopen(arguments[1], RTLD_NOW);
    void (*close_below)(int (*)(void*), void*) =
        (void (*)(int (*)(void*), void*))dlsym(plugin, "close_below");
    close_below(dlclose, again);
    usleep(50000);
    puts("done");
    return 0;
}
