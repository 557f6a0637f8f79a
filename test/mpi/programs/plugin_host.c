/* Loads a plugin linked to an MPI that is not visible to the rest of the process, and runs it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    (void)argc;
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run_plugin") : NULL;
    if (!run) {
        puts(dlerror());
        return 1;
    }
    return run();
}
