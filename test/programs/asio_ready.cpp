// Handlers and coroutines that are ready long before asio runs them, because another handler blocks
// the loop; with -DWITH_BOOST of Boost.Asio. The clock only advances in take(), but timers expire
// by that of the kernel. Does not use vftrace.
#include <array>
#include <cstdio>

#include "set_clock.h"

#ifdef WITH_BOOST
#include <utility>

#include <boost/asio.hpp>
namespace asio = boost::asio;
using error_code = boost::system::error_code;
#else
#include <asio.hpp>
using error_code = std::error_code;
#endif

using asio::local::stream_protocol;

// What is posted first blocks what is posted after it.
static void posts(asio::io_context& context) {
    asio::post(context, [] { take(30); });
    asio::post(context, [] { take(1); });
    context.run();
    context.restart();
}

// One timer expires while another handler runs; the other one is cancelled.
static void timers(asio::io_context& context) {
    asio::steady_timer late(context), cancelled(context);
    late.expires_after(std::chrono::milliseconds(1));
    late.async_wait([](const error_code&) { take(1); });
    cancelled.expires_after(std::chrono::hours(1));
    cancelled.async_wait([](const error_code&) { take(1); });
    asio::post(context, [&] {
        take(30);
        cancelled.cancel();
    });
    context.run();
    context.restart();
}

// Both messages have arrived when the loop looks.
static void reads(asio::io_context& context) {
    std::array<stream_protocol::socket, 2> from{stream_protocol::socket(context),
                                                stream_protocol::socket(context)},
        to{stream_protocol::socket(context), stream_protocol::socket(context)};
    std::array<std::array<char, 4>, 2> data{};
    for (std::size_t i = 0; i < from.size(); i++) {
        asio::local::connect_pair(from[i], to[i]);
        asio::write(from[i], asio::buffer(data[i]));
        to[i].async_read_some(asio::buffer(data[i]),
                              [](const error_code&, std::size_t) { take(5); });
    }
    context.run();
    context.restart();
}

#if defined(__cpp_impl_coroutine)
static asio::awaitable<void> waits() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_after(std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
    take(1);
}

static asio::awaitable<void> blocks() {
    take(50);
    co_return;
}

// The second half of the message comes later: until then it is not ready.
static asio::awaitable<void> reads_halves(stream_protocol::socket from) {
    std::array<char, 8> data{};
    co_await asio::async_read(from, asio::buffer(data), asio::use_awaitable);
    take(1);
}

static void coroutines(asio::io_context& context) {
    asio::co_spawn(context, waits(), asio::detached);
    asio::co_spawn(context, blocks(), asio::detached);
    context.run();
    context.restart();
    stream_protocol::socket from(context), to(context);
    asio::local::connect_pair(from, to);
    const std::array<char, 4> half{};
    asio::write(from, asio::buffer(half));
    asio::co_spawn(context, reads_halves(std::move(to)), asio::detached);
    while (context.poll_one() != 0)
        ;
    take(100);
    asio::write(from, asio::buffer(half));
    context.run();
}
#endif

int main() {
    asio::io_context context(1);
    posts(context);
    timers(context);
    reads(context);
#if defined(__cpp_impl_coroutine)
    coroutines(context);
#endif
    std::puts("done");
}
