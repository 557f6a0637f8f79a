// Time: ticks of the processor's counter on the hot path, nanoseconds everywhere else.
//
// Reading the time stamp counter costs 8 ns, clock_gettime 24 ns. The counter is used only if the
// kernel itself uses it to keep time. The length of a tick is determined by comparing both clocks
// at the start and the end of the run, so there is no wait at start-up.
#pragma once

#include <cstdint>
#include <time.h>

namespace vftrace {

// CLOCK_MONOTONIC in nanoseconds.
inline std::uint64_t monotonic_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

// Processor time of all threads of this process, in user code and in the kernel.
inline std::uint64_t processor_ns() {
    timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(used.tv_nsec);
}

// The processor time of one thread of this process as a clock: in the kernel's encoding, in which
// CLOCK_THREAD_CPUTIME_ID means the calling thread (Linux, include/linux/posix-timers_types.h).
constexpr clockid_t processor_clock_of(int thread) {
    constexpr unsigned scheduler_time_of_thread = 6;
    return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | scheduler_time_of_thread);
}

// That clock; 0 if there is no such thread.
inline std::uint64_t processor_ns_of(int thread) {
    timespec used{};
    return clock_gettime(processor_clock_of(thread), &used) == 0
               ? static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
                     static_cast<std::uint64_t>(used.tv_nsec)
               : 0;
}

// Wall-clock time since 1970, in nanoseconds.
std::int64_t unix_time_ns();

// The processor's counter. Not serialising: reading it overlaps with the work around it, which
// makes it cheap.
[[gnu::always_inline]] inline std::uint64_t processor_ticks() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return monotonic_ns();
#endif
}

// The same, but read after everything before it has finished and before anything after it begins,
// so that exactly the code between two readings is measured. Costs about 10 ns more, with little
// variation.
[[gnu::always_inline]] inline std::uint64_t serialized_processor_ticks() {
#if defined(__x86_64__)
    asm volatile("lfence" ::: "memory");
    std::uint64_t ticks = __builtin_ia32_rdtsc();
    asm volatile("lfence" ::: "memory");
    return ticks;
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
    std::uint64_t ticks = processor_ticks();
    asm volatile("isb" ::: "memory");
    return ticks;
#else
    return monotonic_ns();
#endif
}

// True if processor_ticks() runs at the same rate on all cores, asleep or not, judging by the
// kernel's clock source. Reads /sys; the answer does not change.
bool processor_ticks_are_time();

// Both clocks at the same moment.
struct ClockReading {
    std::uint64_t ticks;
    std::uint64_t ns;
};
ClockReading read_both_clocks();

// Nanoseconds per tick between `start` and now. Waits until they are at least a millisecond apart,
// because the error of a shorter comparison would exceed 10^-4.
double nanoseconds_per_tick(ClockReading start);

}  // namespace vftrace
