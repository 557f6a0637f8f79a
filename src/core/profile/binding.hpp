// On which processors the busy threads of each host may run, and where too many of them share some
// while others are free.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The numbers of a list like "0-3,8", ascending; empty for anything else.
std::vector<std::uint32_t> processors_of(std::string_view list);

// A thread, or several with the same processors and figures that are their means, that lived for
// half of the run, and could have run for half of their life or more.
struct BusyThread {
    const ThreadFigures* thread;
    std::string host;
    std::vector<std::uint32_t> processors;
    std::size_t count = 1;
    double life_s = 0, displaced_s = 0;  // of each
};

// Those whose processors are known. Refers to the profile.
std::vector<BusyThread> busy_threads(const Profile& profile);

// The host of a rank.
const std::string& host_of_rank(const Profile& profile, std::uint32_t rank);

// The number of processors of a host; 0: not known.
double processors_of_host(const Profile& profile, std::string_view host);

// Threads that may use only these processors, although the host has others, and not more busy
// threads than processors.
struct CrowdedProcessors {
    std::string host;
    std::string processors;  // "0-3"; of threads on one core, all of these
    bool is_core = false;    // each has a processor of its own, of the same core
    std::vector<BusyThread> members;
    std::size_t threads = 0;               // how many they are
    std::size_t places = 0;                // number of processors, or 1 core
    double busy_on_host = 0, of_host = 0;  // threads, processors

    // How long all of them together waited for a processor because there are too many of them.
    double waited_s() const;
};

// Crowded processors before crowded cores, the most crowded ones first.
std::vector<CrowdedProcessors> crowded_processors(const Profile& profile,
                                                  const std::vector<BusyThread>& threads);

}  // namespace vftrace
