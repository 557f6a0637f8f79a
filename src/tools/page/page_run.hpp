// Data about a run for the report page in addition to its lists: facts, notices, findings,
// efficiencies, and the tables of its views, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct PageRun {
    std::string label;                   // name of the profile in the page
    std::string regions;                 // pattern of regions whose efficiencies are shown
    std::vector<std::string> left_out;   // sentences about what the page does not contain
    std::vector<std::uint32_t> numbers;  // of call paths in the page, by index in the profile
};

// A JSON object.
std::string page_run_json(const Profile& profile, const PageRun& page);

// The efficiencies of several runs, in the order of their processors.
std::string page_scaling_json(const std::vector<Profile>& profiles);

}  // namespace vftrace
