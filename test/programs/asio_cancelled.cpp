// Coroutines of asio that end because asio cancels what they wait for, or by another exception.
#ifdef WITH_BOOST
#include <utility>

#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif

#include <chrono>
#include <cstdio>
#include <stdexcept>

asio::awaitable<void> waits(asio::steady_timer& timer) {
    timer.expires_after(std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> waits_and_catches(asio::steady_timer& timer) {
    try {
        timer.expires_after(std::chrono::hours(1));
        co_await timer.async_wait(asio::use_awaitable);
    } catch (const std::exception&) {
        // cancelled
    }
}

asio::awaitable<void> refused() {
    asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect({asio::ip::address_v4::loopback(), 1}, asio::use_awaitable);
}

asio::awaitable<void> throws() {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    throw std::runtime_error("on purpose");
}

int main() {
    asio::io_context context(1);
    asio::steady_timer timer(context), other(context);
    const auto ignored = [](std::exception_ptr) {};
    asio::co_spawn(context, waits(timer), ignored);
    asio::co_spawn(context, waits_and_catches(other), ignored);
    asio::co_spawn(context, refused(), ignored);
    asio::co_spawn(context, throws(), ignored);
    asio::post(context, [&] {
        timer.cancel();
        other.cancel();
    });
    context.run();
    std::puts("done");
}
