// Resident memory of one and of a million call paths: prints KiB at the end of main.
//
//   paths WIDTH      WIDTH functions call WIDTH functions that call WIDTH functions
#include <cstdio>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#define UNSEEN __attribute__((no_instrument_function))

static int width;
template <int Digit>
__attribute__((noinline)) void step(int depth);

using Step = void (*)(int);
static Step steps[100];
template <int... Digit>
UNSEEN static void fill(std::integer_sequence<int, Digit...>) {
    ((steps[Digit] = step<Digit>), ...);
}
template <int Digit>
void step(int depth) {
    for (int i = 0; depth > 1 && i < width; i++)
        steps[i](depth - 1);
}

UNSEEN int main(int, char** arguments) {
    width = std::atoi(arguments[1]);
    fill(std::make_integer_sequence<int, 100>{});
    for (int i = 0; i < width; i++)
        steps[i](3);
    long pages = 0;
    std::FILE* statm = std::fopen("/proc/self/statm", "r");
    if (!statm || std::fscanf(statm, "%*d %ld", &pages) != 1)
        return 1;
    std::printf("%ld\n", pages * sysconf(_SC_PAGESIZE) / 1024);
    std::fflush(stdout);
    syscall(SYS_exit_group, 0);  // the profile of a million paths is not what is measured here
}
