/* Has a million call paths, says so, and waits for the end of its standard input. */
#include <stdio.h>
#define FUNCTION __attribute__((noinline)) static

static volatile unsigned sink;

#define TEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define DECLARE(i) FUNCTION void branch##i(unsigned path, int depth);
TEN(DECLARE)
static void (*const branches[10])(unsigned, int) = {branch0, branch1, branch2, branch3, branch4,
                                                    branch5, branch6, branch7, branch8, branch9};
/* Each digit of the path's number is one of the functions. */
#define DEFINE(i)                                                                                  \
    FUNCTION void branch##i(unsigned path, int depth) {                                            \
        sink += path;                                                                              \
        if (depth > 1)                                                                             \
            branches[(i + 1 + path % 9) % 10](path / 9, depth - 1);                                \
    }
TEN(DEFINE)

int main(void) {
    for (unsigned path = 0; path < 9 * 9 * 9 * 9 * 9 * 10; path++)
        branches[path % 10](path / 10, 6);
    for (unsigned path = 0; path < 9 * 9 * 9 * 9 * 9 * 10; path++)
        branches[path % 10](path / 10, 7);
    puts("ready");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
