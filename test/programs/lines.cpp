// Known shares of the time of source lines: the loop is inlined in two functions, which run it for
// three parts and one part of the time. "for ever": until it is killed.
#include <cstdio>
#include <cstring>

static volatile double sink;

static inline __attribute__((always_inline)) double chain(double x, long turns) {
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;  // the hot line
    return x;
}

__attribute__((noinline)) void three_parts() {
    sink = chain(1.0, 3000000);  // called from three
}

__attribute__((noinline)) void one_part() {
    sink = chain(2.0, 1000000);  // called from one
}

int main(int count, char**) {
    for (int i = 0; i < 40 || count > 1; i++) {
        three_parts();
        one_part();
        if (i == 20) {
            std::puts("working");
            std::fflush(stdout);
        }
    }
    return 0;
}
