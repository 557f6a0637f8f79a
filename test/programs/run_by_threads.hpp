// Runs an event loop of asio or Boost.Asio by several threads, the calling one included.
#pragma once

#include <thread>
#include <vector>

template <class Context>
void run_by_threads(Context& context, int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++)
        others.emplace_back([&] { context.run(); });
    context.run();
    for (std::thread& other : others)
        other.join();
}
