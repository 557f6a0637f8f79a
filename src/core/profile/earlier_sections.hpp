// The sections of an earlier run that are kept by a run that continues it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The id of a section with this name in the section with id `parent`: the same in all runs and on
// all machines, and exact as a double, because some readers of JSON convert it. Never 0.
std::uint64_t earlier_section_id(std::uint64_t parent, std::string_view name);

// The sections that a run that continues this one starts with: those of this run and of the runs
// that it continues, sorted by id.
std::vector<EarlierSection> sections_for_later_runs(const Profile& profile);

}  // namespace vftrace
