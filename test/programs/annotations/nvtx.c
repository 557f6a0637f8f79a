/* As a program with NVTX's headers, which are tables of functions that the library
 * NVTX_INJECTION64_PATH fills. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int (*push)(const char*);
static int (*pop)(void);
static uint64_t (*start)(const char*);
static void (*end)(uint64_t);
static void (*mark)(const char*);
static void** rows[16] = {[2] = (void**)&mark,
                          [5] = (void**)&start,
                          [7] = (void**)&end,
                          [9] = (void**)&push,
                          [11] = (void**)&pop};

static int table_of(uint32_t module, void**** table, unsigned* count) {
    *table = rows;
    *count = module == 1 ? 16 : 0;
    return 1;
}
static struct {
    size_t bytes;
    int (*table_of)(uint32_t, void****, unsigned*);
} tables = {sizeof tables, table_of};
static const void* offer(uint32_t kind) { return kind == 1 ? &tables : NULL; }

static volatile double sum;
__attribute__((noinline)) void work(void) {
    for (int i = 1; i < 200000; i++)
        sum += 1.0 / i;
}

int main(void) {
    const char* name = getenv("NVTX_INJECTION64_PATH");
    void* library = name ? dlopen(name, RTLD_LAZY) : NULL;
    int (*initialize)(const void* (*)(uint32_t)) = NULL;
    if (library)
        *(void**)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    if (initialize && initialize(offer)) {
        const uint64_t first = start("request"), second = start("request");
        push("outer");
        for (int i = 0; i < 3; i++) {
            push("inner");
            work();
            pop();
        }
        pop();
        pop(); /* one too many */
        end(first);
        mark("half");
        end(second);
    }
    printf("done\n");
    return 3;
}
