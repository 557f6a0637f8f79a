// The libraries through which programs read and write files: MPI-IO, HDF5, NetCDF and others.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// What a run did in one of them.
struct IoLibraryUse {
    std::string_view name;
    std::int64_t ns = 0;                  // in its functions and all that they call
    std::int64_t own_ns = 0;              // of that, without calls with files (NodeKind::io)
    std::uint64_t calls = 0;              // with files, that were timed
    std::uint64_t read = 0, written = 0;  // bytes, by all calls
};

// Those that have paths: MPI-IO always; others in sampled programs, or if they have hooks, and are
// not linked into the program's file. A library that calls another one has the time of both. Those
// with most time first.
std::vector<IoLibraryUse> io_library_uses(const Profile& profile);

}  // namespace vftrace
