// Where in the code samples were taken.
#pragma once

#include <cstdint>
#include <vector>

namespace vftrace {

struct Profile;

// Samples at one instruction.
struct AddressCount {
    std::uint64_t offset;  // address in the module: run-time address - load bias; without module
                           // the run-time address
    std::uint64_t samples;
};

// Samples of one path in one module: that of its function, or, next to hooks, that of something
// that it has called and that does not have hooks.
struct PathAddresses {
    std::uint32_t path = 0;                 // index into Profile::paths
    std::uint32_t module = 0;               // index into Profile::modules; no_index: generated code
    std::int64_t time_ns = 0;               // that the samples represent
    std::vector<AddressCount> addresses{};  // sorted by offset
};

// The same for one instruction.
struct SampledAddress {
    std::uint32_t path, module;
    std::uint64_t offset, samples;
    std::int64_t time_ns;
};

// All addresses, sorted by path, module and offset. Their times add up to those of the rows.
std::vector<SampledAddress> sampled_addresses(const Profile& profile);

std::uint64_t samples_of(const PathAddresses& row);

// Sorts them by offset, and counts of the same one become one.
void sort_and_add_up(std::vector<AddressCount>& addresses);

// Adds the addresses of another row, of the same path and module.
void add_addresses(PathAddresses& sum, const PathAddresses& other);

}  // namespace vftrace
