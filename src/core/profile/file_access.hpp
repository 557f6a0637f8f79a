// What a profile's calls did with files, by file and by rank: sums of Profile::file_calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"
#include "record/io_functions.hpp"

namespace vftrace {

// What the functions of a profile do, by index; `metadata` for those that are not functions of
// files.
std::vector<IoOperation> io_operations(const Profile& profile);

// Whether calls of this operation move bytes; the others are metadata.
inline bool moves_bytes(IoOperation operation) {
    return operation == IoOperation::read || operation == IoOperation::write ||
           operation == IoOperation::copy;
}

// The element of Profile::files that these calls are about; nullptr: it is missing.
const FileFigures* figures_of_file(const Profile& profile, const FileCalls& calls);

// The members of FileSizes by range, as FileRow::sizes has them.
inline constexpr std::uint64_t FileSizes::*size_members[] = {
    &FileSizes::below_100, &FileSizes::below_1k, &FileSizes::below_10k, &FileSizes::below_100k,
    &FileSizes::below_1m,  &FileSizes::below_4m, &FileSizes::below_10m, &FileSizes::below_100m,
    &FileSizes::below_1g,  &FileSizes::larger};

// All calls with one file.
struct FileAccess {
    const FileFigures* file;
    std::uint64_t opens = 0, reads = 0, writes = 0;  // timed calls; copies count as both
    std::uint64_t buffered = 0;                      // calls that needed only a stream's buffer
    std::uint64_t metadata = 0;                      // other calls, such as stat and seek
    std::uint64_t maps = 0;
    std::int64_t data_ns = 0, metadata_ns = 0;  // of `reads` and `writes`, and of the others
};

// Those with most time first. Refers to the profile.
std::vector<FileAccess> file_accesses(const Profile& profile);

// The bytes that a rank read and wrote, by what was seen of it.
struct RankBytes {
    std::uint32_t rank;
    double read = 0, written = 0;                  // by calls of paths
    double read_outside = 0, written_outside = 0;  // by others
    double own_read = 0, own_written = 0;          // by the library
    double kernel_read = -1, kernel_written = -1;  // as the kernel counts it; negative: not known
};

// The bytes that the kernel counted and nobody saw; negative: not known.
inline double not_seen(double kernel, double seen) {
    return kernel < 0 ? -1 : std::max(kernel - seen, 0.0);
}
inline double read_not_seen(const RankBytes& rank) {
    return not_seen(rank.kernel_read, rank.read + rank.read_outside + rank.own_read);
}
inline double written_not_seen(const RankBytes& rank) {
    return not_seen(rank.kernel_written, rank.written + rank.written_outside + rank.own_written);
}

// In the order of ranks.
std::vector<RankBytes> rank_bytes(const Profile& profile);

// "ext4", or the number of a file system without a name here; "": not known.
std::string_view file_system_name(std::uint64_t number);

inline bool has_files(const Profile& profile) { return !profile.file_calls.empty(); }

}  // namespace vftrace
