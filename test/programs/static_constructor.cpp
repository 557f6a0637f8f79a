// Work before and after main: a constructor and a destructor of a global object.
#include <cstdio>

__attribute__((noinline)) static void prelude_work() { std::puts("prelude"); }
__attribute__((noinline)) static void epilogue_work() { std::puts("epilogue"); }

struct Global {
    __attribute__((noinline)) Global() { prelude_work(); }
    __attribute__((noinline)) ~Global() { epilogue_work(); }
};
static Global global;

__attribute__((noinline)) static void main_work() { std::puts("main"); }

int main() { main_work(); }
