// Information that programs give about regions in addition to their beginning and end: for our
// functions and those with GEOPM's names.
#pragma once

#include <cstdint>
#include <optional>

#include "record/region_hints.hpp"

namespace vftrace {

// The hint that a number stands for: as `enum vftrace_hint` numbers them.
std::optional<RegionHint> hint_of_number(std::uint64_t number);

// Regions with that name have the hint from now on. `stack`: frame_address() of the called
// function.
void say_region_hint(const char* name, RegionHint hint, std::uintptr_t stack);

// The calling thread begins an epoch.
void begin_epoch_here();

}  // namespace vftrace
