// From the trees of all threads to one Profile.
#pragma once

#include <cstdint>

#include "profile/profile.hpp"

namespace vftrace {

struct CollectSettings {
    std::uint64_t end_ticks = 0;  // activations that are still open are taken to end here
    double ns_per_tick = 1;
    double hook_pair_ns = 0;    // cost of one call's hooks
    double mpi_wrapper_ns = 0;  // cost of one MPI call's wrapper
};

// Fills modules, functions (without display names and source lines), paths, and of `run`:
// paused_ns, overhead, threads, memory_bytes, warnings; `run.uses_mpi` must be set. Threads that
// still run may go on; their calls open now are included.
void collect_profile(Profile& profile, const CollectSettings& settings);

// Gives a profile without paths its root.
void add_root(Profile& profile);

}  // namespace vftrace
