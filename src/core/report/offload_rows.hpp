// The work of OpenACC constructs, or OpenMP constructs for devices, by call path and by construct.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "record/openacc_events.hpp"

namespace vftrace {

// Times that threads of the program spent, summed over ranks, and what was moved meanwhile.
struct OffloadFigures {
    std::uint64_t calls = 0;
    std::array<std::int64_t, construct_times> ns{};                   // by ConstructTime
    std::array<std::uint64_t, construct_bytes> transfers{}, bytes{};  // by ConstructBytes

    std::int64_t time(ConstructTime kind) const { return ns[static_cast<std::size_t>(kind)]; }
    std::int64_t all_time() const;
    std::uint64_t all_bytes() const;
};

// One path that is a construct or an event in one. Its time includes everything below it, such as
// calls of CUDA, down to the next ones, so that rows can be added up.
struct OffloadRow {
    std::uint32_t path = 0;
    std::uint32_t region = 0;  // index into OffloadRows::regions
    std::uint32_t event = 0;   // OpenACC's number; 0: a construct of OpenMP
    ConstructTime time = ConstructTime::other;
    bool launches = false;  // a kernel, each time
    OffloadFigures figures;
};

// A construct, wherever it is called from, with everything that happens in it.
struct OffloadRegion {
    std::uint32_t construct = 0;  // the first of its paths
    std::string function;         // that contains it, as tables show it
    OffloadFigures figures;       // sums
};

struct OffloadRows {
    std::vector<OffloadRow> rows;  // by path
    std::vector<OffloadRegion> regions;
};
OffloadRows offload_rows(const Profile& profile, ProgrammingModel model);

// Whether the program has such constructs.
bool uses_offload(const Profile& profile, ProgrammingModel model);

// The function of the program that a path is called in, as a path: that of the construct's caller,
// whatever constructs are in between.
std::uint32_t calling_function(const Profile& profile, std::uint32_t path);

}  // namespace vftrace
