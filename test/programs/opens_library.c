/* Opens the profiling library itself and uses its functions. */
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** arguments) {
    (void)count;
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (!library)
        return 1;
    void (*begin)(const char*) = (void (*)(const char*))dlsym(library, "vftrace_region_begin");
    void (*end)(const char*) = (void (*)(const char*))dlsym(library, "vftrace_region_end");
    begin("opened later");
    end("opened later");
    dlclose(library);
    puts("done");
    return 0;
}
