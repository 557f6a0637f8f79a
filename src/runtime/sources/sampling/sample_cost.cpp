#include "sampling/sample_cost.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampling/sample_timer.hpp"
#include "sampling/signal_mask.hpp"

namespace vftrace {
namespace {

// A signal that does nothing takes at least this long.
constexpr double least_ns = 500;

std::uint64_t processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// Returns the nanoseconds of processor time that some work takes, almost half a millisecond.
std::uint64_t time_of_work() {
    const std::uint64_t start = processor_ns();
    std::uint32_t x = 1;
    for (int i = 0; i < 300'000; i++) {
        x = x * 1664525u + 1013904223u;  // each step waits for the one before
        __asm__ volatile("" : "+r"(x));
    }
    return processor_ns() - start;
}

}  // namespace

double cost_of_sample_ns() {
    constexpr std::uint64_t period_ns = 100'000;
    const int thread = static_cast<int>(syscall(SYS_gettid));
    allow_sampling_signal();
    // The smallest of each counts, because other work on the machine makes both longer.
    std::uint64_t alone = ~std::uint64_t{0}, sampled = alone;
    for (int turn = 0; turn < 3; turn++) {
        alone = std::min(alone, time_of_work());
        SampleTimer timer;
        if (timer.start(thread, period_ns) != SampleClock::user_code) {
            timer.stop();
            return 0;
        }
        sampled = std::min(sampled, time_of_work());
        timer.stop();
    }
    const double samples = static_cast<double>(alone) / static_cast<double>(period_ns);
    const double more = static_cast<double>(sampled) - static_cast<double>(alone);
    return std::max(more / samples, least_ns);
}

}  // namespace vftrace
