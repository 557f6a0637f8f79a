// Handlers of asio in all situations, each a different function; with -DWITH_BOOST of Boost.Asio.
// The clock only advances in take(). Does not use vftrace.
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

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

using asio::ip::tcp;

// Owned by its own handlers: the last one destroys it.
struct session : std::enable_shared_from_this<session> {
    explicit session(tcp::socket connected) : socket(std::move(connected)) {}
    void reads() {
        socket.async_read_some(asio::buffer(data),
                               [self = shared_from_this()](error_code error, std::size_t size) {
                                   if (error)
                                       return;
                                   take(2);
                                   self->writes(size);
                               });
    }
    void writes(std::size_t size) {
        asio::async_write(socket, asio::buffer(data, size),
                          [self = shared_from_this()](error_code, std::size_t) {
                              take(1);
                              self->reads();
                          });
    }
    tcp::socket socket;
    std::array<char, 64> data{};
};

struct accepts {
    tcp::acceptor& acceptor;
    void operator()(const error_code& error, tcp::socket connected) const {
        if (!error)
            std::make_shared<session>(std::move(connected))->reads();
        take(5);
    }
};

struct client {
    client(asio::io_context& context, int count) : socket(context), left(count) {}
    void connected(const error_code&) {
        take(10);
        sends();
    }
    void sends() {
        if (left-- == 0)
            return socket.close();
        asio::write(socket, asio::buffer(data));
        asio::async_read(socket, asio::buffer(data), [this](error_code, std::size_t) {
            take(20);
            sends();
        });
    }
    tcp::socket socket;
    std::array<char, 64> data{};
    int left;
};

void echo() {
    asio::io_context context;
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    acceptor.async_accept(accepts{acceptor});
    client one(context, 3);
    one.socket.async_connect(acceptor.local_endpoint(),
                             std::bind(&client::connected, &one, std::placeholders::_1));
    context.run();
}

void throws(asio::io_context& context) {
    asio::post(context, [] {
        take(1);
        throw std::runtime_error("on purpose");
    });
    try {
        context.run();
    } catch (const std::runtime_error&) {
        take(100);
    }
    context.restart();
}

void polls(asio::io_context& context) {
    asio::post(context, [&] {
        take(1);
        asio::post(context, [] { take(3); });
        context.poll();
        take(1);
    });
    context.run();
    context.restart();
}

void is_cancelled(asio::io_context& context) {
    asio::steady_timer timer(context);
    timer.expires_after(std::chrono::hours(1));
    timer.async_wait([](error_code) { take(1); });
    timer.cancel();
    context.run();
    context.restart();
}

void in_strand(asio::io_context& context) {
    asio::strand<asio::io_context::executor_type> strand(context.get_executor());
    for (int i = 0; i < 3; i++)
        asio::post(strand, [] { take(1); });
    context.run();
    context.restart();
}

// From a thread that vftrace has not seen, through an executor of any type.
void from_thread(asio::io_context& context) {
    asio::any_io_executor executor = context.get_executor();
    std::thread([&] { asio::post(executor, [] { take(7); }); }).join();
    context.run();
    context.restart();
}

void in_pool() {
    asio::thread_pool pool(2);
    for (int i = 0; i < 4; i++)
        asio::post(pool, [] { take(1); });
    pool.join();
}

void never_called() {
    asio::io_context context;
    asio::post(context, [] { take(1); });
}

int main() {
    echo();
    asio::io_context context(1);
    throws(context);
    polls(context);
    is_cancelled(context);
    in_strand(context);
    from_thread(context);
    in_pool();
    never_called();
    std::puts("done");
}
