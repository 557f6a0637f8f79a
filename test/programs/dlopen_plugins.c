/* Loads, calls and unloads plugins in turn: "dlopen_plugins ROUNDS A.so B.so". */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int use(const char* path, int n) {
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    int (*call)(int) = (int (*)(int))dlsym(plugin, "call");
    int result = call(n);
    dlclose(plugin);
    return result;
}

int main(int count, char** arguments) {
    int sum = 0;
    for (int round = 0; round < atoi(arguments[1]); round++)
        for (int i = 2; i < count; i++)
            sum += use(arguments[i], i);
    printf("%d\n", sum);
    return 0;
}
