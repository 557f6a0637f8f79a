// Each thread has its own stack.
#include "parameter.h"
#include <thread>
#include <vector>
static void kernel(int n) {
    for (int i = 0; i < n; ++i)
        work_done = i;
}
static void thread_main(int n) { kernel(n); }
int main() {
    int n = 3, count = 4;
    PARAMETER(n);
    PARAMETER(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back(thread_main, n);
    for (std::thread& thread : threads)
        thread.join();
    kernel(count);
}
