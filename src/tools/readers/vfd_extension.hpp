// The extension of a vfd file, after the tables of version 3. For tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// The position at which the extension begins; nothing if the file does not have one. Throws
// VfdError if the file ends with an incorrect position.
std::optional<std::uint64_t> find_vfd_extension(const VfdInput& input, std::uint64_t tables_end);

// For files without the end of an extension: whether one begins at `tables_end`, so that it was cut
// off.
bool has_cut_vfd_extension(const VfdInput& input, std::uint64_t tables_end);

// The data of version 3 to which the extension adds.
struct VfdTables {
    std::vector<VfdStack>& stacks;
    std::vector<VfdThreadInfo>& threads;
    std::vector<VfdCounter>& counters;
};

// The positions of the parts that are streamed.
struct VfdStreamedParts {
    std::vector<VfdExtent>& samples;       // of each thread (of thread 0: nothing)
    std::vector<VfdExtent>& call_samples;  // of each thread
    std::vector<VfdExtent>& task_moments;  // of each thread
    std::vector<VfdExtent>& left_out;      // of each thread
    VfdExtent& device_work;
    VfdExtent& operations;

    // The extents of a section that each thread may have; nullptr for other sections.
    std::vector<VfdExtent>* of_threads(VfdSection section) const {
        return section == VfdSection::samples        ? &samples
               : section == VfdSection::call_samples ? &call_samples
               : section == VfdSection::task_moments ? &task_moments
               : section == VfdSection::left_out     ? &left_out
                                                     : nullptr;
    }
};

// Reads the extension, and adds its data about stacks, threads and counters to `tables`. Throws
// VfdError.
VfdExtension read_vfd_extension(const VfdInput& input, std::uint64_t begin, VfdTables tables,
                                VfdStreamedParts parts);

}  // namespace vftrace
