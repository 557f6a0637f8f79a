// Coroutines that move from thread to thread: each is resumed by the thread that finds it in a
// common queue, possibly before the call that put it there has returned.
// Some are left unfinished.
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "await_types.hpp"

#include <vftrace/coroutines.hpp>

VFTRACE_TRACE_TASK(job)
VFTRACE_TRACE_TASK_TEMPLATE(lazy)

namespace {

std::mutex lock;
std::deque<std::coroutine_handle<>> queue;
int unfinished;

struct in_queue {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> own) {
        const std::scoped_lock held(lock);
        queue.push_back(own);
    }
    void await_resume() {}
};

lazy<int> part(int number) {
    if (number % 3 == 0)
        co_await in_queue();
    co_return number;
}

job works(int hops, long& sum) {
    long own = 0;
    for (int i = 0; i < hops; i++) {
        own += co_await part(i);
        co_await in_queue();
    }
    const std::scoped_lock held(lock);
    sum += own;
    unfinished--;
}

void run_queue() {
    for (;;) {
        std::coroutine_handle<> next;
        {
            const std::scoped_lock held(lock);
            if (unfinished == 0)
                return;
            if (!queue.empty()) {
                next = queue.front();
                queue.pop_front();
            }
        }
        if (next)
            next.resume();
        else
            std::this_thread::yield();
    }
}

}  // namespace

int main() {
    constexpr int jobs = 50, hops = 40, threads = 4;
    long sum = 0;
    unfinished = jobs;
    for (int i = 0; i < jobs; i++)
        works(hops, sum);
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(run_queue);
    for (std::thread& each : all)
        each.join();
    std::printf("%ld\n", sum);
}
