// The threads of C++: std::thread, std::jthread with a stop token, std::async in both policies.
#include <cstdio>
#include <future>
#include <thread>

// clang with -finstrument-functions refers to undefined functions of std::string.
template class std::allocator<char>;

static std::promise<void> running;

__attribute__((noinline)) static void leaf() { asm volatile(""); }
__attribute__((noinline)) static void plain_worker(int calls) {
    for (int i = 0; i < calls; i++)
        leaf();
}
__attribute__((noinline)) static void stoppable_worker(std::stop_token stop) {
    leaf();
    running.set_value();
    while (!stop.stop_requested())
        std::this_thread::yield();
    leaf();
}
__attribute__((noinline)) static int task(int n) {
    leaf();
    return n + 1;
}

__attribute__((noinline)) static void by_thread() {
    std::thread first(plain_worker, 10), second(plain_worker, 5);
    first.join();
    second.join();
}
__attribute__((noinline)) static void by_jthread() {
    std::jthread worker(stoppable_worker);
    running.get_future().wait();
}  // requests it to stop and waits
__attribute__((noinline)) static int by_async() {
    std::future<int> results[4];
    for (int i = 0; i < 4; i++)
        results[i] = std::async(std::launch::async, task, i);
    int sum = 0;
    for (std::future<int>& result : results)
        sum += result.get();
    return sum;
}
__attribute__((noinline)) static int deferred() {
    return std::async(std::launch::deferred, task, 41).get();
}

int main() {
    by_thread();
    by_jthread();
    std::printf("%d\n", by_async());
    std::printf("%d\n", deferred());
}
