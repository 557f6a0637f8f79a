// What this process has measured, as a profile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collate/filtered_functions.hpp"
#include "lifecycle/tracing.hpp"
#include "profile/profile.hpp"
#include "symbol/code_file.hpp"

namespace vftrace {

struct OwnResult {
    Profile profile;  // without source lines
    EndOfTrace trace;
    std::unique_ptr<CodeFiles> files{};  // of this process; nullptr: it has recorded nothing
};

// The measurements of this process so far. `filtered_elsewhere`: functions that other ranks do not
// record.
OwnResult own_result(const std::vector<CodePlace>& filtered_elsewhere);

// Information about the run that does not need its trees.
void fill_run_information(RunInfo& info, double ns_per_tick, std::uint64_t end_ticks);

// Length of a tick of the run's clock, in nanoseconds.
double tick_ns();

}  // namespace vftrace
