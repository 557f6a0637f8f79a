// The extension of a vfd file, after the tables of version 3. For tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// Where it begins; nothing if the file has none. Throws VfdError if the file ends with something
// that says wrongly where it begins.
std::optional<std::uint64_t> find_vfd_extension(const VfdInput& input, std::uint64_t tables_end);

// The file has the beginning of an extension at `tables_end`, but not its end.
bool has_cut_vfd_extension(const VfdInput& input, std::uint64_t tables_end);

// What of version 3 the extension adds to.
struct VfdTables {
    std::vector<VfdStack>& stacks;
    std::vector<VfdThreadInfo>& threads;
    std::vector<VfdCounter>& counters;
};

// Where that is which is streamed.
struct VfdStreamedParts {
    std::vector<VfdExtent>& samples;       // of each thread (of thread 0: nothing)
    std::vector<VfdExtent>& call_samples;  // of each thread
    std::vector<VfdExtent>& task_moments;  // of each thread
    VfdExtent& device_work;
    VfdExtent& operations;

    // Of a section of which each thread may have one; else nullptr.
    std::vector<VfdExtent>* of_threads(VfdSection section) const {
        return section == VfdSection::samples        ? &samples
               : section == VfdSection::call_samples ? &call_samples
               : section == VfdSection::task_moments ? &task_moments
                                                     : nullptr;
    }
};

// Reads it, and adds its data about stacks, threads and counters. Throws VfdError.
VfdExtension read_vfd_extension(const VfdInput& input, std::uint64_t begin, VfdTables tables,
                                VfdStreamedParts parts);

}  // namespace vftrace
