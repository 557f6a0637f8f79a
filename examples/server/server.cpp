// Stores texts for its clients: a server made of asio's coroutines, all of which run on one
// thread.
//
//     server [--pool] [PORT]
//
// listens on 127.0.0.1, on any free port if none is given, until SIGTERM or SIGINT. Requests are
// lines:
//
//     add TEXT        the reply is the number that the text gets
//     get NUMBER      ... the text
//     similar TEXT    ... the number and the text of the one that is most similar to TEXT
//
// `similar` compares TEXT with all texts, and the loop does not serve other clients meanwhile. With
// --pool, separate threads do this.
#include <asio.hpp>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "similarity.hpp"

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

constexpr std::size_t longest_line = 65536;
constexpr std::size_t pool_threads = 2;

struct Store {
    std::deque<std::string> texts;  // they stay where they are when others are added
    std::optional<asio::thread_pool> pool;
};

awaitable<std::string> add(Store& store, std::string text) {
    store.texts.push_back(std::move(text));
    co_return std::to_string(store.texts.size() - 1);
}

awaitable<std::string> get(Store& store, std::string number) {
    std::size_t index = 0;
    const char* end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, index);
    if (error != std::errc() || rest != end || index >= store.texts.size())
        co_return "error: no such text";
    co_return store.texts[index];
}

// Runs in the pool, on the texts that there were at the time of the request.
awaitable<std::size_t> search(std::vector<std::string_view> texts, std::string wanted) {
    co_return nearest(texts, wanted);
}

awaitable<std::string> similar(Store& store, std::string wanted) {
    if (store.texts.empty())
        co_return "error: no texts";
    std::size_t found = 0;
    if (store.pool) {
        std::vector<std::string_view> texts(store.texts.begin(), store.texts.end());
        found = co_await asio::co_spawn(*store.pool, search(std::move(texts), std::move(wanted)),
                                        use_awaitable);
    } else {
        found = nearest(store.texts, wanted);
    }
    co_return std::to_string(found) + " " + store.texts[found];
}

awaitable<std::string> refuse() { co_return "error: no such request"; }

// The coroutine that makes the reply to a line.
awaitable<std::string> answer(Store& store, const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string request = line.substr(0, space);
    std::string argument = space == std::string::npos ? "" : line.substr(space + 1);
    if (request == "add")
        return add(store, std::move(argument));
    if (request == "get")
        return get(store, std::move(argument));
    if (request == "similar")
        return similar(store, std::move(argument));
    return refuse();
}

awaitable<void> session(tcp::socket socket, Store& store) {
    std::string input;
    try {
        for (;;) {
            const std::size_t size = co_await asio::async_read_until(
                socket, asio::dynamic_buffer(input, longest_line), '\n', use_awaitable);
            const std::string line = input.substr(0, size - 1);
            input.erase(0, size);
            std::string reply = co_await answer(store, line);
            reply += '\n';
            co_await asio::async_write(socket, asio::buffer(reply), use_awaitable);
        }
    } catch (const std::system_error&) {
        // the client is gone
    }
}

awaitable<void> listener(tcp::acceptor& acceptor, Store& store) {
    const auto executor = co_await asio::this_coro::executor;
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(executor, session(std::move(socket), store), asio::detached);
    }
}

int main(int count, char** arguments) {
    asio::io_context context(1);
    Store store;  // its pool ends before the loop whose coroutines wait for it
    int next = 1;
    if (next < count && std::string_view(arguments[next]) == "--pool") {
        store.pool.emplace(pool_threads);
        next++;
    }
    const int port = next < count ? std::atoi(arguments[next]) : 0;
    tcp::acceptor acceptor(
        context, {asio::ip::address_v4::loopback(), static_cast<asio::ip::port_type>(port)});
    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](auto, int) { context.stop(); });
    asio::co_spawn(context, listener(acceptor, store), asio::detached);
    std::printf("listening on port %d\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    context.run();
}
