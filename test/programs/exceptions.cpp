// Exceptions that pass through instrumented functions; calls before, in and after the catch.
#include <cstdio>
#include <stdexcept>

__attribute__((noinline)) static void thrower(int n) {
    if (n >= 0)
        throw std::runtime_error("thrown");
}
__attribute__((noinline)) static void passes(int n) {
    thrower(n);
    std::puts("not reached");
}
__attribute__((noinline)) static void handled(void) { std::puts("handled"); }
__attribute__((noinline)) static void after(void) { std::puts("after"); }
__attribute__((noinline)) static void catcher(int n) {
    try {
        passes(n);
    } catch (const std::exception& problem) {
        handled();
        std::puts(problem.what());
    }
    after();
}

int main() {
    for (int i = 0; i < 4; i++)
        catcher(i);
    after();
}
