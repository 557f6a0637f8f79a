// Twenty functions that allocate a known number of blocks of known sizes, about 30 MiB each.
// Prints, for each, its name, bytes and calls.
#include <stdio.h>
#include <stdlib.h>

static void* volatile sink;

enum { BYTES = 30 << 20 };

#define SITE(number, size)                                                                         \
    __attribute__((noinline)) void site_##number(void) {                                           \
        for (int i = 0; i < BYTES / size; i++) {                                                   \
            sink = malloc(size);                                                                   \
            free(sink);                                                                            \
        }                                                                                          \
        printf("site_%d %d %d\n", number, BYTES / size * size, BYTES / size);                      \
    }

// clang-format off
SITE(0, 40) SITE(1, 100) SITE(2, 250) SITE(3, 600) SITE(4, 1500) SITE(5, 4000) SITE(6, 9000)
SITE(7, 20000) SITE(8, 40000) SITE(9, 70000) SITE(10, 100000) SITE(11, 150000) SITE(12, 200000)
SITE(13, 300000) SITE(14, 400000) SITE(15, 500000) SITE(16, 600000) SITE(17, 800000)
SITE(18, 1000000) SITE(19, 1300000)
    // clang-format on

    int main(void) {
    void (*const sites[])(void) = {site_0,  site_1,  site_2,  site_3,  site_4,  site_5,  site_6,
                                   site_7,  site_8,  site_9,  site_10, site_11, site_12, site_13,
                                   site_14, site_15, site_16, site_17, site_18, site_19};
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++)
        sites[i]();
    return 0;
}
