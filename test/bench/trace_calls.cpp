// The program with which the cost of tracing is measured: calls of one shape for some seconds,
// without a pause in which the trace could be written. Prints the mean time of a call in ns.
//
//   trace_calls leaf|fib|nest SECONDS [kill]     kill: ends by SIGKILL, so that no vfd file is made
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define UNSEEN __attribute__((no_instrument_function, noinline))
#define SEEN __attribute__((noinline))

volatile int sink;

SEEN static int leaf(int n) { return n ^ sink; }
SEEN static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
SEEN static int nest5(int n) { return n ^ sink; }
SEEN static int nest4(int n) { return nest5(n) + 1; }
SEEN static int nest3(int n) { return nest4(n) + 1; }
SEEN static int nest2(int n) { return nest3(n) + 1; }
SEEN static int nest1(int n) { return nest2(n) + 1; }

UNSEEN static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Return the number of calls made.
UNSEEN static long run_leaf() {
    for (int i = 0; i < 20000; i++)
        sink = leaf(i) & 1;
    return 20000;
}
UNSEEN static long run_fibonacci() {
    sink = fibonacci(19) & 1;
    return 13529;
}
UNSEEN static long run_nest() {
    for (int i = 0; i < 4000; i++)
        sink = nest1(i) & 1;
    return 20000;
}

__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    if (count < 3)
        return 2;
    const auto run = std::strcmp(arguments[1], "leaf") == 0  ? run_leaf
                     : std::strcmp(arguments[1], "fib") == 0 ? run_fibonacci
                                                             : run_nest;
    const double seconds = std::atof(arguments[2]);
    run();
    long calls = 0;
    const double start = now();
    double time;
    do
        calls += run();
    while ((time = now() - start) < seconds);
    std::printf("%.3f %ld\n", time / static_cast<double>(calls) * 1e9, calls);
    std::fflush(stdout);
    if (count > 3)
        std::raise(SIGKILL);
}
