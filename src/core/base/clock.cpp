#include "base/clock.hpp"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vftrace {

std::int64_t unix_time_ns() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool processor_ticks_are_time() {
#if defined(__x86_64__)
    // With the clock sources named below, the kernel (or the hypervisor's page, which is the same
    // counter scaled) derives time from the TSC. With "hpet", "acpi_pm" or "jiffies", it found the
    // TSC unusable.
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        // In a container without /sys, rely on the processor's own statement that the counter is
        // invariant (CPUID 0x80000007, EDX bit 8; AMD and Intel manuals).
        unsigned a, b, c, d;
        return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
    }
    char name[64] = {};
    ssize_t length = read(file, name, sizeof name - 1);
    close(file);
    return length > 0 &&
           (std::strncmp(name, "tsc", 3) == 0 || std::strncmp(name, "kvm-clock", 9) == 0 ||
            std::strncmp(name, "hyperv_clocksource_tsc", 22) == 0);
#elif defined(__aarch64__)
    return true;  // the generic timer is architected to be constant and synchronised
#else
    return false;
#endif
}

ClockReading read_both_clocks() {
    // The pair with the shortest time between two counter readings is the least disturbed one.
    ClockReading best{};
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 5; attempt++) {
        std::uint64_t before = processor_ticks();
        std::uint64_t ns = monotonic_ns();
        std::uint64_t after = processor_ticks();
        if (after - before < shortest) {
            shortest = after - before;
            best = {before + shortest / 2, ns};
        }
    }
    return best;
}

double nanoseconds_per_tick(ClockReading start) {
    constexpr std::uint64_t shortest_comparison_ns = 1'000'000;
    while (monotonic_ns() - start.ns < shortest_comparison_ns) {
    }
    ClockReading end = read_both_clocks();
    return static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
}

}  // namespace vftrace
