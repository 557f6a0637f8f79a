// An exception reaches a noexcept function: the program is terminated. With an argument, a
// terminate handler calls functions and leaves by exit.
#include <cstdio>
#include <cstdlib>
#include <exception>

__attribute__((noinline)) static void leaf() { asm volatile(""); }
__attribute__((noinline)) static void thrower(int n) {
    if (n > 0)
        throw n;
}
__attribute__((noinline)) static void promises(int n) noexcept {
    thrower(n);
    leaf();
}
__attribute__((noinline)) static void handler() {
    leaf();
    std::exit(3);
}

int main(int count, char**) {
    if (count > 1)
        std::set_terminate(handler);
    leaf();
    std::puts("before");
    std::fflush(stdout);
    promises(count);
}
