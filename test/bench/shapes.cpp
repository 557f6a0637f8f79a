// The program with which the cost of a call is measured. Built twice, plain and instrumented; the
// instrumented one runs with different libraries preloaded. Prints "shape ns-per-call" lines.
//
//   shapes SECONDS-PER-SHAPE [pause]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <utility>
#include <vector>

#define UNSEEN __attribute__((no_instrument_function, noinline))
#define SEEN __attribute__((noinline))

extern volatile int sink;
volatile int sink;

SEEN static int leaf(int n) { return n ^ sink; }
SEEN static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
SEEN static int nest5(int n) { return n ^ sink; }
SEEN static int nest4(int n) { return nest5(n) + 1; }
SEEN static int nest3(int n) { return nest4(n) + 1; }
SEEN static int nest2(int n) { return nest3(n) + 1; }
SEEN static int nest1(int n) { return nest2(n) + 1; }

constexpr int callee_count = 1000;
template <int N>
SEEN int callee(int n) {
    return n + N + sink;
}

using Callee = int (*)(int);
template <int... N>
UNSEEN static void fill(Callee* table, std::integer_sequence<int, N...>) {
    ((table[N] = callee<N>), ...);
}

static Callee callees[callee_count];
static std::vector<std::uint16_t> random_order, one_callee;

UNSEEN static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Calls per invocation of each shape, so that the driver can count them.
UNSEEN static long run_leaf() {
    int sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += leaf(i);
    sink = sum & 1;
    return 20000;
}
UNSEEN static long run_fibonacci() {
    sink = fibonacci(19) & 1;
    return 13529;  // calls of fibonacci(19)
}
UNSEEN static long run_nest() {
    int sum = 0;
    for (int i = 0; i < 4000; i++)
        sum += nest1(i);
    sink = sum & 1;
    return 20000;
}
UNSEEN static long run_callees(const std::vector<std::uint16_t>& order) {
    // A moving window, so that the order is always new to the branch predictor.
    static std::size_t position;
    int sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += callees[order[position++ & (order.size() - 1)]](i);
    sink = sum & 1;
    return 20000;
}
UNSEEN static long run_random() { return run_callees(random_order); }
UNSEEN static long run_one() { return run_callees(one_callee); }

struct Shape {
    const char* name;
    long (*run)();
};

__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    double seconds = count > 1 ? std::atof(arguments[1]) : 0.05;
    fill(callees, std::make_integer_sequence<int, callee_count>{});
    random_order.resize(1 << 20);
    one_callee.assign(1 << 10, 7);
    std::vector<std::uint16_t> permutation(callee_count);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < random_order.size(); i++) {
        if (i % callee_count == 0) {
            for (int c = 0; c < callee_count; c++)
                permutation[static_cast<std::size_t>(c)] = static_cast<std::uint16_t>(c);
            std::shuffle(permutation.begin(), permutation.end(), random);
        }
        random_order[i] = permutation[i % callee_count];
    }
    if (count > 2 && std::strcmp(arguments[2], "pause") == 0) {
        leaf(1);  // registers the thread
        auto pause = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "vftrace_pause"));
        if (!pause)
            return 2;
        pause();
    }
    const Shape shapes[] = {{"leaf", run_leaf},
                            {"fib", run_fibonacci},
                            {"nest", run_nest},
                            {"one-callee", run_one},
                            {"1000-callees", run_random}};
    for (const Shape& shape : shapes) {
        shape.run();
        // The best of many short pieces: an interruption spoils one of them only.
        double best = 1e9, end = now() + seconds;
        do {
            double start = now();
            long calls = shape.run();
            best = std::min(best, (now() - start) * 1e9 / static_cast<double>(calls));
        } while (now() < end);
        std::printf("%s %.4f\n", shape.name, best);
    }
    return 0;
}
