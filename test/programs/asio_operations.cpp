// Operations that compute before they wait, awaited by coroutines of asio; with -DWITH_BOOST of
// Boost.Asio. The clock only advances in take(). Prints asio's version. Does not use vftrace.
#include <cstdio>

#include "set_clock.h"

#ifdef WITH_BOOST
#include <utility>

#include <boost/asio.hpp>
namespace asio = boost::asio;
using error_code = boost::system::error_code;
constexpr int version = BOOST_ASIO_VERSION;
#else
#include <asio.hpp>
using error_code = std::error_code;
constexpr int version = ASIO_VERSION;
#endif

template <class Token>
auto async_encrypt(Token&& token) {
    return asio::async_initiate<Token, void(error_code)>(
        [](auto handler) {
            take(3);
            auto executor = asio::get_associated_executor(handler);
            asio::post(executor, [handler = std::move(handler)]() mutable {
                std::move(handler)(error_code());
            });
        },
        token);
}

asio::awaitable<void> encrypt() { co_await async_encrypt(asio::use_awaitable); }

asio::awaitable<void> works() {
    for (int i = 0; i < 4; i++)
        co_await encrypt();
    take(1);
}

// Newer versions await the operation itself.
asio::awaitable<void> awaits_directly() {
#if defined(WITH_BOOST) && BOOST_ASIO_VERSION >= 102600
    co_await async_encrypt(asio::deferred);
#else
    co_await async_encrypt(asio::use_awaitable);
#endif
    take(1);
}

int main() {
    asio::io_context context(1);
    asio::co_spawn(context, works(), asio::detached);
    asio::co_spawn(context, awaits_directly(), asio::detached);
    context.run();
    std::printf("%d\n", version);
}
