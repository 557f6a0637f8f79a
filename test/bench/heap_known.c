// Twenty functions that allocate a known number of blocks of known sizes, about 30 MiB each.
// Prints, for each, its name, bytes and calls.
#include <stdio.h>
#include <stdlib.h>

static void* volatile sink;

#define SITES                                                                                      \
    SITE(0, 40)                                                                                    \
    SITE(1, 100) SITE(2, 250) SITE(3, 600) SITE(4, 1500) SITE(5, 4000) SITE(6, 9000)               \
        SITE(7, 20000) SITE(8, 40000) SITE(9, 70000) SITE(10, 100000) SITE(11, 150000)             \
            SITE(12, 200000) SITE(13, 300000) SITE(14, 400000) SITE(15, 500000) SITE(16, 600000)   \
                SITE(17, 800000) SITE(18, 1000000) SITE(19, 1300000)

enum { BYTES = 30 << 20 };

#define SITE(number, size)                                                                         \
    __attribute__((noinline)) void site_##number(void) {                                           \
        for (int i = 0; i < BYTES / size; i++) {                                                   \
            sink = malloc(size);                                                                   \
            free(sink);                                                                            \
        }                                                                                          \
        printf("site_%d %d %d\n", number, BYTES / size * size, BYTES / size);                      \
    }
SITES
#undef SITE
#define SITE(number, size) site_##number();

int main(void) {
    SITES
    return 0;
}
