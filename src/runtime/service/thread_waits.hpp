// How long the threads of this process, including ended ones, have waited for a processor, and how
// often they were moved to another one.
#pragma once

#include <cstdint>

namespace vftrace {

inline constexpr std::uint64_t not_known = ~std::uint64_t{0};

struct ThreadWaits {
    std::uint64_t waiting_ns = not_known;
    std::uint64_t migrations = not_known;
};

// The figures of all threads since they were created. Costs about 35 us per thread; to be called by
// one thread at a time.
ThreadWaits waits_of_threads();

// To be called by an ending thread, because the kernel will forget its figures. Costs about 35 us.
void note_waits_of_ending_thread();

// To be called in a child of fork.
void forget_ended_threads();

}  // namespace vftrace
