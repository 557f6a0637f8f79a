// A loop of asio whose thread also works outside the handlers: each of them takes 20 ms of
// processor time and then sleeps for 10 ms, then the thread works for 30 ms, and waits for the next
// one. Prints what it did, in ms: lifetime, processor time, time in handlers, processor time in
// handlers.
#include <asio.hpp>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

using milliseconds = std::chrono::duration<double, std::milli>;

static double processor_ms() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

static void work(double ms) {
    for (const double end = processor_ms() + ms; processor_ms() < end;)
        ;
}

int main() {
    const auto start = std::chrono::steady_clock::now();
    double in_handlers = 0, processor_in_handlers = 0;
    asio::io_context context(1);
    asio::steady_timer timer(context);
    for (int i = 0; i < 5; i++) {
        timer.expires_after(std::chrono::milliseconds(40));
        timer.async_wait([&](const std::error_code&) {
            const auto begin = std::chrono::steady_clock::now();
            const double before = processor_ms();
            work(20);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            processor_in_handlers += processor_ms() - before;
            in_handlers += milliseconds(std::chrono::steady_clock::now() - begin).count();
        });
        context.run();
        context.restart();
        work(30);
    }
    std::printf("%f %f %f %f\n", milliseconds(std::chrono::steady_clock::now() - start).count(),
                processor_ms(), in_handlers, processor_in_handlers);
}
