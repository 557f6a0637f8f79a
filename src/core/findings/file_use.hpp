// What the rules about files need: the calls of a run with ordinary files, by call path.
#pragma once

#include <string>
#include <vector>

#include "profile/file_access.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The calls of a path with a file.
struct FileUse {
    const FileCalls* calls;
    const FileFigures* file;
    IoOperation operation;
    std::uint32_t mpi = no_index;  // the MPI call that made them; no_index: none

    double seconds() const { return static_cast<double>(calls->ns) / 1e9; }
    double bytes() const { return static_cast<double>(calls->read + calls->written); }
    double mean_bytes() const { return calls->calls > 0 ? bytes() / timed() : 0; }
    double timed() const { return static_cast<double>(calls->calls); }
    bool moves_bytes() const { return vftrace::moves_bytes(operation); }
};

// Of files, without folders, pipes, sockets and the like, and without what MPI uses for itself.
// Refers to the profile.
std::vector<FileUse> file_uses(const Profile& profile);

// The uses of one file.
struct UsesOfFile {
    const FileFigures* file;
    std::vector<const FileUse*> uses;
};
// In the order of the first use of each.
std::vector<UsesOfFile> uses_by_file(const Profile& profile, const std::vector<FileUse>& uses);

// Sums over the uses that have written.
struct WritingSums {
    double calls = 0, bytes = 0, placed = 0, unaligned = 0, seconds = 0;
    const FileUse* longest = nullptr;  // nullptr: there are none
};
WritingSums sums_of_writing(const UsesOfFile& file);

// "results.nc": a name without its folder.
std::string file_name(const FileFigures& file);

}  // namespace vftrace
