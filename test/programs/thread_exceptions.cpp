// Threads that throw at the same time, through several functions, caught half-way and rethrown.
#include <cstdio>
#include <pthread.h>
#include <stdexcept>

constexpr int threads = 4, rounds = 200;
static pthread_barrier_t together;

__attribute__((noinline)) static void handled() { asm volatile(""); }
__attribute__((noinline)) static void after() { asm volatile(""); }
__attribute__((noinline)) static void thrower(int n) {
    if (n >= 0)
        throw std::runtime_error("thrown");
}
__attribute__((noinline)) static void passes(int n) {
    thrower(n);
    after();
}
__attribute__((noinline)) static void rethrows(int n) {
    try {
        passes(n);
    } catch (...) {
        handled();
        throw;
    }
}
__attribute__((noinline)) static void catcher(int n) {
    try {
        rethrows(n);
    } catch (const std::exception&) {
        handled();
    }
    after();
}
__attribute__((noinline)) static void* worker(void*) {
    pthread_barrier_wait(&together);
    for (int i = 0; i < rounds; i++)
        catcher(i);
    return nullptr;
}

int main() {
    pthread_t thread[threads];
    pthread_barrier_init(&together, nullptr, threads);
    for (pthread_t& one : thread)
        pthread_create(&one, nullptr, worker, nullptr);
    for (pthread_t& one : thread)
        pthread_join(one, nullptr);
    std::puts("done");
}
