// Stacks that end in unusual ways, while samples are taken: exceptions, longjmp, deep recursion, a
// handler on a stack of its own, a stack made by the program.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <ucontext.h>
#include <unistd.h>

static volatile double sink;
static volatile int depth_reached;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

__attribute__((noinline)) void throws(int level) {
    spin(2000);
    if (level == 0)
        throw level;
    throws(level - 1);
    sink = level;
}

__attribute__((noinline)) int catches() {
    int caught = 0;
    for (int i = 0; i < 3000; i++)
        try {
            throws(i % 20);
        } catch (int) {
            caught++;
        }
    return caught;
}

static jmp_buf place;
__attribute__((noinline)) void jumps(int level) {
    spin(2000);
    if (level == 0)
        longjmp(place, 1);
    jumps(level - 1);
    sink = level;
}

__attribute__((noinline)) int returns_by_jump() {
    volatile int returned = 0;
    for (volatile int i = 0; i < 3000; i = i + 1) {
        if (setjmp(place) == 0)
            jumps(i % 20);
        returned = returned + 1;
    }
    return returned;
}

__attribute__((noinline)) void recursive(int level) {
    volatile char room[64];
    room[0] = static_cast<char>(level);
    if (level > 0)
        recursive(level - 1);
    else
        spin(50'000'000);
    depth_reached = depth_reached + room[0] * 0 + 1;
}

__attribute__((noinline)) void on_usr1(int) { spin(50'000'000); }

__attribute__((noinline)) void raises() {
    static char stack[65536];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_handler = on_usr1;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    sink = 1;
}

static ucontext_t caller, fiber;
__attribute__((noinline)) void in_fiber() {
    for (int i = 0; i < 20; i++) {
        spin(2'000'000);
        swapcontext(&fiber, &caller);
    }
}

__attribute__((noinline)) void switches() {
    static char stack[65536];
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    fiber.uc_link = &caller;
    makecontext(&fiber, in_fiber, 0);
    for (int i = 0; i < 20; i++)
        swapcontext(&caller, &fiber);
    sink = 2;
}

int main() {
    std::printf("%d\n", catches());
    std::printf("%d\n", returns_by_jump());
    recursive(20000);
    std::printf("%d\n", depth_reached);
    raises();
    switches();
    return 0;
}
