// A server and its client on the loopback device, as asio's coroutines: `messages` there and back,
// run by `threads`; 0: the server and a client each have a loop and a thread. Does not use vftrace.
// With -DWITH_BOOST it uses Boost's asio.
#ifdef WITH_BOOST
#include <utility>

#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "run_by_threads.hpp"

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

awaitable<void> session(tcp::socket socket) {
    char data[1024];
    try {
        for (;;) {
            const std::size_t size =
                co_await socket.async_read_some(asio::buffer(data), use_awaitable);
            co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
        }
    } catch (const std::exception&) {
        // the client has left
    }
}

awaitable<void> listener(tcp::acceptor& acceptor, int clients) {
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < clients; i++)
        asio::co_spawn(executor, session(co_await acceptor.async_accept(use_awaitable)),
                       asio::detached);
}

awaitable<void> client(tcp::endpoint server, int messages) {
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(server, use_awaitable);
    socket.set_option(tcp::no_delay(true));
    char data[64] = {};
    for (int i = 0; i < messages; i++) {
        co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
        co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
    }
}

void run_apart(int messages) {
    asio::io_context server, context;
    tcp::acceptor acceptor(server, {asio::ip::address_v4::loopback(), 0});
    asio::co_spawn(server, listener(acceptor, 1), asio::detached);
    asio::co_spawn(context, client(acceptor.local_endpoint(), messages), asio::detached);
    std::thread other([&] { server.run(); });
    context.run();
    other.join();
    std::printf("%d\n", messages);
}

int main(int count, char** arguments) {
    const int messages = count > 1 ? std::atoi(arguments[1]) : 100;
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
    if (threads == 0) {
        run_apart(messages);
        return 0;
    }
    asio::io_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    asio::co_spawn(context, listener(acceptor, threads), asio::detached);
    for (int i = 0; i < threads; i++)
        asio::co_spawn(
            context, [&] { return client(acceptor.local_endpoint(), messages); }, asio::detached);
    run_by_threads(context, threads);
    std::printf("%d\n", messages * threads);
}
