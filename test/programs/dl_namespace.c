/* Opens a library in a separate namespace, where it has its own copies of all libraries that it
   needs: "dl_namespace LIBRARY". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) static int use(const char* path) {
    void* library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    int (*call)(int) = (int (*)(int))dlsym(library, "call");
    int result = call(1);
    leaf();
    dlclose(library);
    return result;
}

int main(int count, char** arguments) {
    leaf();
    for (int i = 0; i < 3; i++)
        printf("%d\n", count > 1 ? use(arguments[1]) : 0);
    leaf();
    return 0;
}
