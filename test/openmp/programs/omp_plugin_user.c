// Opens a library that loads OpenMP, which is not visible to other libraries.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
    void* plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        printf("no plugin\n");
        return 1;
    }
    int (*region)(void) = (int (*)(void))dlsym(plugin, "region");
    printf("%d\n", region());
    return 0;
}
