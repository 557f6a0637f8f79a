// asio coroutines that wait for one of two things: `count` pairs of timers, one of which is
// cancelled each time, run by `threads`. Does not use vftrace.
#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "run_by_threads.hpp"

using asio::awaitable;
using asio::use_awaitable;
using namespace asio::experimental::awaitable_operators;

std::atomic<int> early;

awaitable<bool> one() {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer soon(executor, std::chrono::microseconds(50)),
        late(executor, std::chrono::hours(1));
    const auto which = co_await (soon.async_wait(use_awaitable) || late.async_wait(use_awaitable));
    co_return which.index() == 0;
}

awaitable<void> both(int count) {
    for (int i = 0; i < count; i++)
        early += co_await one();
}

int main(int count, char** arguments) {
    const int turns = count > 1 ? std::atoi(arguments[1]) : 10;
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
    asio::io_context context;
    asio::co_spawn(context, both(turns), asio::detached);
    run_by_threads(context, threads);
    std::printf("%d of %d\n", early.load(), turns);
}
