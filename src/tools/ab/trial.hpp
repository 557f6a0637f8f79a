// What is kept of one run of a program that is compared with another one.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// The processes that a command was, as the system measured them.
struct CommandTimes {
    double wall_seconds = 0;
    double processor_seconds = 0;  // of all of them
};

// A function in one run, summed over its call paths, threads and ranks.
struct TrialFunction {
    double own_seconds = 0;
    std::uint64_t calls = 0;
    bool exact_calls = true;  // all of them were counted
};

// NaN: not known.
struct Trial {
    CommandTimes command;
    // Those of the profile, without what measuring cost, if there is exactly one.
    std::optional<CommandTimes> program;
    // The part of the threads' runnable time in which they waited for a processor, and the part of
    // the processors' time that other virtual machines took.
    double waiting_share = std::numeric_limits<double>::quiet_NaN();
    double stolen_share = std::numeric_limits<double>::quiet_NaN();
    std::map<std::string, TrialFunction> functions;  // by the name in tables
    std::set<std::string> without_hooks;  // functions that lost them: their time is their callers'
};

// A run with these profiles: none if the program could not be profiled, several if it was several
// programs.
Trial trial_of(std::span<const Profile> profiles, const CommandTimes& times);

}  // namespace vftrace
