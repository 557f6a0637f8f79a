// Thread-local objects with instrumented destructors: a worker runs them when OpenMP ends it, long
// after its last region.
#include <cstdio>
#include <unistd.h>

static int destroyed;

struct Local {
    int value = 1;
    [[gnu::noinline]] ~Local();
};
Local::~Local() {
#pragma omp atomic
    destroyed++;
}
static thread_local Local local;

[[gnu::noinline]] int use() { return local.value; }

// The thread that is created for the second team of three ends when a team of two is requested.
[[gnu::noinline]] void team(int threads) {
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += use();
    std::printf("%d\n", sum);
}

int main() {
    team(3);
    usleep(100000);
    team(2);
    usleep(100000);
}
