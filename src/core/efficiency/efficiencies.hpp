// Efficiencies of a run and of its regions: the share of the processors' time that went into the
// program's own work, and the causes of the losses.
//
// Terms and formulas are those of the POP Centre of Excellence (https://pop-coe.eu, "POP Standard
// Metrics for Parallel Performance Analysis"), for hybrid programs and GPUs those of TALP (DLB 3.7,
// https://pm.bsc.es/dlb, "TALP metrics"). A figure is the product of the figures that follow it one
// level below. doc/efficiency.md has all formulas.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// Whether a figure is exact, or a bound of the true figure.
enum class Bound : std::uint8_t { exact, at_least, at_most };

struct EfficiencyFigure {
    std::string_view id;     // "load_balance": the same in every version
    std::string_view title;  // "Load balance"
    double value = std::numeric_limits<double>::quiet_NaN();  // 1: nothing is lost; NaN: not known
    std::uint8_t depth = 0;                                   // in the tree of factors
    Bound bound = Bound::exact;
    std::string_view explanation;  // a sentence

    bool is_bound() const { return bound != Bound::exact; }
    bool is_known() const { return value == value; }
};

struct RegionEfficiency {
    std::string region;                 // its name; empty: the whole run
    std::uint32_t function = no_index;  // index into Profile::functions; no_index: the whole run
    std::uint32_t ranks = 1;            // ranks that were in it
    std::uint64_t processors = 1;       // number of threads that could have worked
    std::int64_t elapsed_ns = 0;        // of the rank that was in it for the longest time
    // Only the known ones, each before its factors. Empty: no possible loss is known.
    std::vector<EfficiencyFigure> figures;
    std::string remark{};  // why something is missing; a sentence, or empty

    // nullptr: not known.
    const EfficiencyFigure* find(std::string_view id) const;
};

// The efficiencies of the run, and of each function, region and section of the program whose name
// matches `regions`, a POSIX extended regular expression, in the order of the profile's functions.
// nullptr: only those of the run.
std::vector<RegionEfficiency> efficiencies(const Profile& profile, const char* regions = nullptr);

// How the efficiencies of several runs of a program compare.
enum class Scaling : std::uint8_t {
    strong,  // all runs do the same work together
    weak     // each processor has the same work in all runs
};

// The efficiencies of whole runs, in ascending order of their processors. The first run is the
// reference of "global", "computation", "ipc", "instructions" and "frequency", which are added to
// each run. `order[i]` becomes the index of the run of element i.
std::vector<RegionEfficiency> scaling_efficiencies(std::span<const Profile* const> runs,
                                                   Scaling scaling,
                                                   std::vector<std::uint32_t>& order);

}  // namespace vftrace
