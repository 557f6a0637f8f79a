// The sections of an earlier run that are kept by a run that continues it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// Of a section with this name in the one with id `parent`: the same in all runs and on all
// machines, and exact as a double, as which some readers of JSON take it. Never 0.
std::uint64_t earlier_section_id(std::uint64_t parent, std::string_view name);

// What a run that continues this one starts with: the sections of this one, and of those that
// it continued from, sorted by id.
std::vector<EarlierSection> sections_for_later_runs(const Profile& profile);

}  // namespace vftrace
