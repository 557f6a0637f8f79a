// The cost of calls on several threads at the same time, and of new call paths.
//
//   thread_calls hot THREADS SECONDS   ns per call of `leaf` and `nest`, mean of the threads:
//                                      "leaf 12.3"
//   thread_calls paths WIDTH           ns per path, for WIDTH^3 paths: "paths 250.1"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <utility>

#define UNSEEN __attribute__((no_instrument_function))
using Clock = std::chrono::steady_clock;

static pthread_barrier_t together;
static double seconds;

__attribute__((noinline)) static void leaf() { asm volatile(""); }
__attribute__((noinline)) static void nest_inner() { leaf(); }
__attribute__((noinline)) static void nest_outer() { nest_inner(); }

// ns per call; function() makes `calls` calls.
UNSEEN static double measure(void (*function)(), int calls) {
    constexpr int batch = 1000;
    pthread_barrier_wait(&together);
    auto start = Clock::now();
    double elapsed = 0;
    long rounds = 0;
    while (elapsed < seconds) {
        for (int i = 0; i < batch; i++)
            function();
        rounds += batch;
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    // All continue until the last one has measured, so that none runs alone on the machine.
    for (auto end = Clock::now() + std::chrono::duration<double>(seconds / 10); Clock::now() < end;)
        for (int i = 0; i < batch; i++)
            function();
    return elapsed * 1e9 / static_cast<double>(rounds * calls);
}

struct Times {
    double leaf, nest;
};
UNSEEN static void* worker(void* argument) {
    auto* times = static_cast<Times*>(argument);
    leaf();  // registers the thread
    times->leaf = measure(leaf, 1);
    times->nest = measure(nest_outer, 3);
    return nullptr;
}

UNSEEN static void hot(int threads) {
    auto* times = new Times[static_cast<unsigned>(threads)];
    auto* handles = new pthread_t[static_cast<unsigned>(threads)];
    pthread_barrier_init(&together, nullptr, static_cast<unsigned>(threads));
    for (int i = 0; i < threads; i++)
        pthread_create(&handles[i], nullptr, worker, &times[i]);
    Times sum{};
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], nullptr);
        sum.leaf += times[i].leaf;
        sum.nest += times[i].nest;
    }
    std::printf("leaf %.3f\nnest %.3f\n", sum.leaf / threads, sum.nest / threads);
}

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

UNSEEN static void paths() {
    fill(std::make_integer_sequence<int, 100>{});
    auto start = Clock::now();
    for (int i = 0; i < width; i++)
        steps[i](3);
    double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("paths %.3f\n", elapsed * 1e9 / (1.0 * width * width * width));
}

UNSEEN int main(int count, char** arguments) {
    if (count > 2 && std::strcmp(arguments[1], "paths") == 0) {
        width = std::atoi(arguments[2]);
        paths();
    } else if (count > 3) {
        seconds = std::atof(arguments[3]);
        hot(std::atoi(arguments[2]));
    }
}
