/* A plugin whose constructor and destructor call instrumented functions: "dl_life ROUNDS PLUGIN".
 * With a third argument it is opened by a thread and closed by main. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static

static void* plugin;
static const char* path;

FUNCTION void opens(void) {
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        puts(dlerror());
        exit(1);
    }
}
FUNCTION void uses(void) { ((void (*)(void))dlsym(plugin, "use_plugin"))(); }
FUNCTION void closes(void) { dlclose(plugin); }
FUNCTION void* opener(void* unused) {
    opens();
    uses();
    return unused;
}

int main(int count, char** arguments) {
    path = arguments[2];
    for (int i = 0; i < atoi(arguments[1]); i++) {
        if (count > 3) {
            pthread_t thread;
            pthread_create(&thread, NULL, opener, NULL);
            pthread_join(thread, NULL);
        } else {
            opens();
        }
        uses();
        closes();
    }
    puts("done");
    return 0;
}
