// Opens a plugin, replaces its file with another one, and opens it again.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int call(const char* path) {
    void* plugin = dlopen(path, RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    int (*function)(int) = (int (*)(int))dlsym(plugin, "plugin");
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += function(i);
    dlclose(plugin);
    return sum;
}

int main(int count, char** arguments) {
    if (count < 3)
        return 1;
    int sum = call(arguments[1]);
    if (rename(arguments[2], arguments[1]) != 0)
        return 2;
    sum += call(arguments[1]);
    printf("%d\n", sum);
    return 0;
}
