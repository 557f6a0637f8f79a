// Opens the library that is named, so that only it sees the libraries that it needs.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* const plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*const count)(void) = plugin ? (int (*)(void))dlsym(plugin, "count_in_plugin") : NULL;
    if (!count)
        return 1;
    printf("%d\n", count());
    return dlclose(plugin);
}
