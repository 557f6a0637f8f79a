// What the rules that look for faults need to know of a run, found out once; and how they name
// places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "efficiency/openmp_times.hpp"
#include "efficiency/region_times.hpp"
#include "findings/findings.hpp"
#include "profile/profile.hpp"

namespace vftrace {

struct RunFacts {
    explicit RunFacts(const Profile& whole);

    const Profile& profile;
    double elapsed_s = 0;    // of the rank that ran longest
    double ranks = 1;        // of the profile
    double exclusive_s = 0;  // sum over all paths, pauses left out
    RegionTimes times;       // of the ranks; empty where it is not known
    OpenmpTimes openmp;      // processors: 0 without OpenMP, or where it is not known

    // Whether saving so much of the run's time is worth a sentence.
    bool is_worth_it(double seconds, double least_share) const;

    NodeKind kind(std::uint32_t path) const {
        return profile.functions[profile.paths[path].function].kind;
    }
    const std::string& name(std::uint32_t path) const {
        return profile.functions[profile.paths[path].function].name;
    }
    // A function, region or section of the program, and not a pause.
    bool is_own_code(std::uint32_t path) const;
    double exclusive_seconds(std::uint32_t path) const {
        return static_cast<double>(profile.paths[path].exclusive_ns) / 1e9;
    }
    // nullptr: there are none of this path.
    const RankValues* values_of(std::uint32_t path) const;

    // "compute": as people read it, shortened; regions of several words in quotes.
    std::string function(std::uint32_t path) const;
    // "compute, called by step<main"; below main only the name.
    std::string place(std::uint32_t path) const;

    // Sets the figures of a finding about so much of the run's time.
    RunFinding finding(std::string_view rule, double saved_seconds) const;
};

// "3.21 s", "45.0 ms".
std::string seconds_text(double seconds);
// "12.3 %" of a part, 0 to 1.
std::string percent_text(double part);
// "1,234,567".
std::string count_text(double count);

}  // namespace vftrace
