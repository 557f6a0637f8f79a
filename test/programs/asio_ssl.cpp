// Coroutines that talk to each other through TLS of asio; with -DWITH_BOOST of Boost.Asio. The
// clock only advances in take(), which OpenSSL calls when a handshake starts (3), and for each
// record that it encrypts (5). Does not use vftrace.
#include <array>
#include <cstdio>

#include "set_clock.h"

#ifdef WITH_BOOST
#include <utility>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#include <asio/ssl.hpp>
#endif

using asio::local::stream_protocol;
using stream = asio::ssl::stream<stream_protocol::socket>;

constexpr int messages = 4;

static void starts(const SSL*, int where, int) {
    if (where & SSL_CB_HANDSHAKE_START)
        take(3);
}

static void encrypts(int is_written, int, int type, const void* header, size_t, SSL*, void*) {
    if (is_written && type == SSL3_RT_HEADER &&
        *static_cast<const unsigned char*>(header) == SSL3_RT_APPLICATION_DATA)
        take(5);
}

// Without certificates.
static void prepare(asio::ssl::context& context) {
    SSL_CTX* const own = context.native_handle();
    SSL_CTX_set_max_proto_version(own, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(own, "aNULL:@SECLEVEL=0");
    SSL_CTX_set_info_callback(own, starts);
    SSL_CTX_set_msg_callback(own, encrypts);
}

static asio::awaitable<void> client(stream to) {
    std::array<char, 64> data{};
    co_await to.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    for (int i = 0; i < messages; i++)
        co_await asio::async_write(to, asio::buffer(data), asio::use_awaitable);
    take(1);
}

static asio::awaitable<void> server(stream from) {
    std::array<char, messages * 64> data{};
    co_await from.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    co_await asio::async_read(from, asio::buffer(data), asio::use_awaitable);
    take(2);
}

int main() {
    asio::io_context loop(1);
    asio::ssl::context context(asio::ssl::context::tls);
    prepare(context);
    stream_protocol::socket one(loop), other(loop);
    asio::local::connect_pair(one, other);
    asio::co_spawn(loop, client(stream(std::move(one), context)), asio::detached);
    asio::co_spawn(loop, server(stream(std::move(other), context)), asio::detached);
    loop.run();
    std::puts("done");
}
