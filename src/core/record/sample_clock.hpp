// The clock by which a program is sampled.
#pragma once

#include <cstdint>

namespace vftrace {

enum class SampleClock : std::uint8_t {
    none,
    user_code,   // perf_event_open: processor time in the program's code, not in the kernel
    thread_time  // processor time of the thread, with the resolution of the kernel's ticks
};

}  // namespace vftrace
