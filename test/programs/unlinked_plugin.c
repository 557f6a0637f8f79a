/* Loads a plugin, overwrites its file with garbage while it is loaded, and calls it. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** arguments) {
    (void)count;
    void* plugin = dlopen(arguments[1], RTLD_NOW);
    if (!plugin)
        return 1;
    unlink(arguments[1]);
    FILE* rubbish = fopen(arguments[1], "w");
    fputs(arguments[2], rubbish);
    fclose(rubbish);
    int (*call)(int) = (int (*)(int))dlsym(plugin, "call");
    printf("%d\n", call(1));
    return 0;
}
