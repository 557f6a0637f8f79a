// Coroutines whose library starts the operations that they await: during the suspension (`early`),
// or after it (`late`), as newer versions of asio do. The clock only advances in take().
#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "set_clock.h"

#include <vftrace/coroutines.hpp>

namespace {

std::coroutine_handle<> ready;           // to be resumed by the loop
std::function<void()> after_suspension;  // to be called when the coroutine is suspended

struct frame {
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }

    template <class Start>
    struct operation {
        Start start;
        bool is_late;

        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<> awaits) {
            if (is_late)
                after_suspension = [this, awaits] { start(awaits); };
            else
                start(awaits);
        }
        void await_resume() noexcept {}
    };
    template <class Start>
    auto await_transform(Start start) requires requires(std::coroutine_handle<> own) {
        start(own);
    }
    { return operation<Start>{std::move(start), is_late}; }

    bool is_late = false;
};

struct program {
    struct promise_type : frame {
        program get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
    };
    std::coroutine_handle<promise_type> own;
};

void resume(std::coroutine_handle<> handle) {
    handle.resume();
    if (after_suspension)
        std::exchange(after_suspension, {})();
}

void run_all() {
    while (ready)
        resume(std::exchange(ready, {}));
}

void run(program made, bool is_late) {
    made.own.promise().is_late = is_late;
    ready = made.own;
    run_all();
}

}  // namespace

VFTRACE_TRACE_TASK(program)
template <>
inline constexpr bool vftrace::awaits_operations<program::promise_type> = true;

namespace {

auto sends() {
    return [](std::coroutine_handle<> awaits) {
        take(3);
        ready = awaits;
    };
}

program early() {
    for (int i = 0; i < 4; i++)
        co_await sends();
    take(1);
}
program late() {
    for (int i = 0; i < 4; i++)
        co_await sends();
    take(1);
}

// The coroutine runs, and ends, before the operation returns.
program resumed_at_once() {
    co_await [](std::coroutine_handle<> awaits) {
        take(1);
        resume(awaits);
        take(2);
    };
    take(10);
}

program destroyed_at_once() {
    co_await [](std::coroutine_handle<> awaits) {
        take(1);
        awaits.destroy();
        take(2);
    };
}

program throws_early() {
    try {
        co_await [](std::coroutine_handle<>) {
            take(1);
            throw std::runtime_error("on purpose");
        };
    } catch (const std::runtime_error&) {
        take(2);
    }
}

// The exception leaves the loop; the coroutine stays suspended.
program throws_late() {
    co_await [](std::coroutine_handle<> awaits) {
        ready = awaits;
        take(1);
        throw std::runtime_error("on purpose");
    };
    take(2);
}

program comes_after() {
    take(5);
    co_return;
}

}  // namespace

int main() {
    run(early(), false);
    run(late(), true);
    run(resumed_at_once(), true);
    run(destroyed_at_once(), true);
    run(throws_early(), false);
    try {
        run(throws_late(), true);
    } catch (const std::runtime_error&) {
        take(100);
    }
    run_all();
    run(comes_after(), true);
    std::puts("done");
}
