// Destructors of thread-local objects that call instrumented functions after the thread's function
// has returned, also of threads that end by pthread_exit.
#include <cstdio>
#include <pthread.h>

__attribute__((noinline)) static void opened() { asm volatile(""); }
__attribute__((noinline)) static void closed() { asm volatile(""); }
struct Guard {
    __attribute__((noinline)) Guard() { opened(); }
    __attribute__((noinline)) ~Guard() { closed(); }
    __attribute__((noinline)) void use() { asm volatile(""); }
};
static thread_local Guard guard;

__attribute__((noinline)) static void use_guard() { guard.use(); }
__attribute__((noinline)) static void* worker(void* leaves) {
    use_guard();
    if (leaves)
        pthread_exit(nullptr);
    return nullptr;
}

int main() {
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, nullptr, worker, i % 2 ? &thread : nullptr);
        pthread_join(thread, nullptr);
    }
    std::puts("done");
}
