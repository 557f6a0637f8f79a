/* changed_code [resume]: prints how many bytes of this program's code in memory differ from its
   file, with "resume" again after vftrace_resume() and calls of functions.

   changed_code open PLUGIN: the same, and how many bytes of the plugin's function `call` change
   when it is called. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vftrace.h>

#define KEPT __attribute__((noinline))

static volatile int sum;
KEPT static void leaf(int x) { sum += x; }
KEPT static int caller(int x) {
    leaf(x);
    leaf(x + 1);
    return sum;
}

/* Not instrumented, so that it runs the same code in each case. */
__attribute__((no_instrument_function)) static long changed_bytes(void) {
    const int file = open("/proc/self/exe", O_RDONLY);
    struct stat status;
    fstat(file, &status);
    const char* image = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    const Elf64_Phdr* headers = (const Elf64_Phdr*)getauxval(AT_PHDR);
    const char* base = (const char*)headers - ((const Elf64_Ehdr*)image)->e_phoff;
    long changed = 0;
    for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X))
            for (Elf64_Xword at = 0; at < headers[i].p_filesz; at++)
                changed += base[headers[i].p_vaddr + at] != image[headers[i].p_offset + at];
    munmap((void*)image, status.st_size);
    return changed;
}

__attribute__((no_instrument_function)) static int changed_by_call(const char* plugin) {
    void* const library = dlopen(plugin, RTLD_NOW);
    int (*const call)(int) = library ? (int (*)(int))dlsym(library, "call") : NULL;
    unsigned char before[100];
    int changed = 0;
    if (!call)
        return -1;
    memcpy(before, (const void*)call, sizeof before);
    for (int i = 0; i < 10; i++)
        sum += call(i);
    for (unsigned i = 0; i < sizeof before; i++)
        changed += before[i] != ((const unsigned char*)call)[i];
    return changed;
}

int main(int count, char** arguments) {
    printf("%ld\n", changed_bytes());
    if (count > 2 && strcmp(arguments[1], "open") == 0)
        printf("%d\n", changed_by_call(arguments[2]));
    if (count > 1 && strcmp(arguments[1], "resume") == 0) {
        vftrace_resume();
        printf("%ld\n", changed_bytes());
    }
    for (int i = 0; i < 10; i++)
        caller(i);
    return 0;
}
