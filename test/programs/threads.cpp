// Threads that call instrumented functions: some at the same time, then many short ones.
#include <cstdio>
#include <thread>
#include <vector>

thread_local long sum;
__attribute__((noinline)) static void leaf(int n) { sum += n; }
__attribute__((noinline)) static void worker(int calls) {
    for (int i = 0; i < calls; i++)
        leaf(i);
}

int main(int count, char**) {
    int threads = count > 1 ? 10000 : 0;
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; i++)
        workers.emplace_back(worker, 100000);
    for (std::thread& thread : workers)
        thread.join();
    for (int i = 0; i < threads; i++)
        std::thread(worker, 1).join();
    worker(5);
    std::puts("done");
}
