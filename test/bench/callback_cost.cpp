// The cost of handlers: prints ns for each of N that are posted, 100 at a time, and called by asio.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <asio.hpp>

int main(int, char** arguments) {
    constexpr long at_a_time = 100;
    const long count = std::atol(arguments[1]);
    asio::io_context context(1);
    long called = 0;
    const auto start = std::chrono::steady_clock::now();
    for (long posted = 0; posted < count; posted += at_a_time) {
        for (long i = 0; i < at_a_time; i++)
            asio::post(context, [&called] { called++; });
        context.run();
        context.restart();
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    std::printf("%f\n", taken.count() / static_cast<double>(called));
}
