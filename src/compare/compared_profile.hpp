// What a comparison needs of a profile, whether it comes from a JSON file or from a text log. For
// tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The file is neither a profile nor a log; one line that begins with its name.
class ComparisonError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct ComparedPath {
    std::string function;                // as tables show it
    std::string path;                    // "leaf<main<init"; from the leaf
    std::string function_key, path_key;  // equal in both profiles for what is the same
    std::uint32_t stid = 0;
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0, inclusive_ns = 0;
    bool outermost = true;  // the function is nowhere above in the path
};

struct ComparedProfile {
    std::string file;
    std::string application;  // may be empty: of logs of Vftrace 2.0
    std::int64_t runtime_ns = 0;
    std::uint32_t ranks = 1, threads = 1;
    bool from_log = false;  // times are rounded to 1 ms, names may be shortened
    std::size_t name_width = std::string::npos;  // to which names are shortened
    std::vector<ComparedPath> paths;             // without paused ones
};

// Keys are made of the symbols' names, which do not depend on how names are shown, or, to compare
// with a log, of the names that it shows (`as_log`), shortened to `name_width`.
ComparedProfile compared_profile(const Profile& profile, std::string file, bool as_log,
                                 std::size_t name_width);

// Both files, made comparable. Throws ComparisonError and ProfileFormatError.
struct ComparedPair {
    ComparedProfile a, b;
};
ComparedPair read_compared_pair(const std::string& file_a, const std::string& file_b);

}  // namespace vftrace
