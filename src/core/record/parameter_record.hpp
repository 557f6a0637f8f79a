// A parameter of the run, as stored in memory and in the tree file of the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

inline constexpr std::size_t longest_parameter_name = 127;  // bytes
inline constexpr std::size_t most_parameters = 256;

struct ParameterRecord {
    char name[longest_parameter_name + 1];
    double value;
    std::uint64_t changed;  // 1: it had another value earlier
};

}  // namespace vftrace
