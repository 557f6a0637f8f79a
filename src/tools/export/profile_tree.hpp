// The call paths of a profile as a tree of times that add up. For tools.
//
// A path's inclusive time in a profile excludes the work of other threads for it. Formats whose
// readers add up times themselves get the sum of the exclusive times instead. No format contains
// paused time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct ProfileTree {
    explicit ProfileTree(const Profile& profile);

    std::vector<std::int64_t> exclusive_ns;  // by path; not negative, 0 for pauses
    std::vector<std::int64_t> total_ns;      // of the path and all below it
    std::vector<bool> paused;                // by path
    // Children of path i are order[first[i]] to order[first[i + 1] - 1].
    std::vector<std::uint32_t> order, first;
};

// A metric for formats whose readers add up the values of paths: it belongs to paths, is exclusive,
// and is a sum.
struct AdditiveMetric {
    std::string name;
    std::string unit;
    std::vector<double> values;  // by path; finite, and not negative

    // For formats of whole numbers.
    std::int64_t rounded(std::size_t path) const;
    // "nanoseconds", "bytes", or `number` for any other unit or none.
    const char* unit_word(const char* number) const;
};
std::vector<AdditiveMetric> additive_metrics(const Profile& profile);

bool is_pause(const Profile& profile, std::uint32_t path);

// A name that fits on one line of a text; never empty.
std::string name_on_one_line(const std::string& display);

}  // namespace vftrace
