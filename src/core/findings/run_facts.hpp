// The facts about a run that the rules for faults need, computed once, and how they name places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "efficiency/openmp_times.hpp"
#include "efficiency/region_times.hpp"
#include "findings/contention.hpp"
#include "findings/file_use.hpp"
#include "findings/findings.hpp"
#include "findings/resource_figures.hpp"
#include "profile/binding.hpp"
#include "profile/heap.hpp"
#include "profile/placement.hpp"
#include "profile/profile.hpp"
#include "profile/waiting.hpp"

namespace vftrace {

// Time in some functions, over all of their call paths.
struct FunctionsTime {
    double seconds = 0, calls = 0;
    std::uint32_t longest = no_index;  // the path with most of it; no_index: without rows
};

struct RunFacts {
    explicit RunFacts(const Profile& whole);

    const Profile& profile;
    double elapsed_s = 0;    // of the rank that ran longest
    double ranks = 1;        // of the profile
    double exclusive_s = 0;  // sum over all paths, without pauses
    RegionTimes times;       // of the ranks; empty if not known
    OpenmpTimes openmp;      // processors: 0 without OpenMP, or if not known
    ResourceFigures resources;
    Contention contention;
    std::vector<PathWaits> waits;
    std::vector<PathHeap> heap;
    std::vector<RankHeap> rank_heap;
    std::vector<SitePlacement> placements;
    double memory_use_samples = 0;  // samples of threads' time that were examined for `placements`
    std::vector<CrowdedProcessors> crowds;
    std::vector<FileUse> file_uses;

    // Whether saving this much of the run time is worth a sentence.
    bool is_worth_it(double seconds, double least_share) const;

    NodeKind kind(std::uint32_t path) const {
        return profile.functions[profile.paths[path].function].kind;
    }
    const std::string& name(std::uint32_t path) const {
        return profile.functions[profile.paths[path].function].name;
    }
    // Whether waits that were found in the traces of the run are in the profile.
    bool traces_were_analysed() const { return profile.run.shortest_wait_ns >= 0; }
    // Whether it is a function, region, section or task of the program, and not a pause.
    bool is_own_code(std::uint32_t path) const;
    double exclusive_seconds(std::uint32_t path) const {
        return static_cast<double>(profile.paths[path].exclusive_ns) / 1e9;
    }
    // Of functions with these symbols. They have rows in sampled programs, and if they are compiled
    // with hooks.
    FunctionsTime time_in(std::span<const std::string_view> symbols) const;

    // ", most of it in write, called by main"; empty if there are no rows.
    std::string most_of_it(const FunctionsTime& time) const;

    // By how much the run becomes shorter if all its threads together work this much less.
    double elapsed_share_of(double seconds) const;
    // How long all ranks together neither work nor are able to run, without waiting in MPI, OpenMP
    // and GPU calls. NaN: not known. Too small for processes with several threads.
    double blocked_seconds() const;

    // How long a rank worked outside MPI, without waiting for a processor, as far as that is known:
    // the wait is assumed to be spread evenly over its time. `rank`: index into times.ranks.
    double work_seconds(std::size_t rank) const;

    // nullptr: no values for this path.
    const RankValues* values_of(std::uint32_t path) const;

    // "compute": the display name, shortened so that other functions look different; regions of
    // several words in quotes.
    std::string function(std::uint32_t path) const;
    // "compute, called by step < main"; only the name if there is no caller. Other paths with much
    // time look different.
    std::string place(std::uint32_t path) const;

    // ", called by step < main" up to a number of callers, and " < ..." if there are more.
    std::string callers(std::uint32_t path, std::size_t most) const;

    // Creates a finding, with figures for this much of the run time.
    RunFinding finding(std::string_view rule, double saved_seconds) const;
};

// The functions of the C library that read and write, by the symbols that samples hit.
extern const std::span<const std::string_view> system_call_functions;

// "3.21 s", "45.0 ms".
std::string seconds_text(double seconds);
// "12.3 %" of a part, 0 to 1.
std::string percent_text(double part);
// "12.3 MiB".
std::string bytes_text(double bytes);
// "1,234,567".
std::string count_text(double count);

}  // namespace vftrace
