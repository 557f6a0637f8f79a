// The cost of sections: prints nanoseconds per pair (pairs, hooks, empty), seconds (loop) or
// microseconds per query (query).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <vftrace/sections.hpp>

#define UNSEEN __attribute__((noinline, no_instrument_function))

UNSEEN static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

__attribute__((noinline)) static void hooked() { asm volatile(""); }
UNSEEN static void empty() { asm volatile(""); }
UNSEEN static void section() {
    VFTRACE_SECTION("section", 1, "Working");
    asm volatile("");
}

// The time of the shortest of many short loops.
UNSEEN static double pair_ns(void (*call)()) {
    constexpr int calls = 2000, loops = 100;
    double shortest = 1e9;
    for (int i = 0; i < loops; i++) {
        const double start = now();
        for (int j = 0; j < calls; j++)
            call();
        shortest = std::min(shortest, (now() - start) * 1e9 / calls);
    }
    return shortest;
}

UNSEEN static double loop_s() {
    const double start = now();
    for (int i = 0; i < 10000000; i++)
        section();
    return now() - start;
}

UNSEEN static double query_us() {
    for (int i = 0; i < 1000; i++) {
        VFTRACE_SECTION("section " + std::to_string(i), 1);
    }
    constexpr int questions = 2000;
    double sum = vftrace::section_data(vftrace::data_type::SELF, "section 500");
    const double start = now();
    for (int i = 0; i < questions; i++)
        sum += vftrace::section_data(vftrace::data_type::SELF, "section 500");
    const double us = (now() - start) * 1e6 / questions;
    return sum < 0 ? 0 : us;
}

UNSEEN int main(int, char** arguments) {
    const std::string what = arguments[1];
    std::printf("%.4f\n", what == "hooks"   ? pair_ns(hooked)
                          : what == "pairs" ? pair_ns(section)
                          : what == "loop"  ? loop_s()
                          : what == "query" ? query_us()
                                            : pair_ns(empty));
}
