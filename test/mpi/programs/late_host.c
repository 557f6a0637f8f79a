/* Loads two plugins: the first initialises MPI, the second brings the profiler. */
#include <dlfcn.h>
#include <stdio.h>

static int run(const char* plugin, const char* function) {
    void* handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    void (*call)(void) = handle ? (void (*)(void))dlsym(handle, function) : NULL;
    if (!call) {
        puts(dlerror());
        return 0;
    }
    call();
    return 1;
}

int main(int argc, char** argv) {
    return argc == 3 && run(argv[1], "begin_mpi") && run(argv[2], "receive_and_end") ? 0 : 1;
}
