// Coroutines of C++20 that wait for each other by symmetric transfer, far deeper than a stack would
// allow, and one that continues on a different thread from the one it began on.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <pthread.h>

struct Task {
    struct promise_type {
        int value = 0;
        std::coroutine_handle<> waiting = std::noop_coroutine();
        Task get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Finish {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<>
            await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
                return handle.promise().waiting;
            }
            void await_resume() noexcept {}
        };
        Finish final_suspend() noexcept { return {}; }
        void return_value(int n) { value = n; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;

    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
        handle.promise().waiting = waiting;
        return handle;
    }
    int await_resume() {
        int result = handle.promise().value;
        handle.destroy();
        return result;
    }
};

static void* resume_there(void* address) {
    std::coroutine_handle<>::from_address(address).resume();
    return nullptr;
}
struct OtherThread {
    pthread_t* thread;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        pthread_create(thread, nullptr, resume_there, handle.address());
    }
    void await_resume() {}
};

__attribute__((noinline)) static int one() {
    asm volatile("");
    return 1;
}
static Task leaf() { co_return one(); }
static Task loop(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += co_await leaf();
    co_return sum;
}
static Task changes_thread(pthread_t* thread) {
    one();
    co_await OtherThread{thread};
    one();
    co_return 5;
}

__attribute__((noinline)) static int run(Task task) {
    task.handle.resume();
    return task.await_resume();
}
__attribute__((noinline)) static int run_on_two_threads() {
    pthread_t thread;
    Task task = changes_thread(&thread);
    task.handle.resume();
    pthread_join(thread, nullptr);
    return task.await_resume();
}

int main() {
    std::printf("%d\n", run(loop(1000)));
    std::printf("%d\n", run_on_two_threads());
}
