// What a comparison needs from a profile, whether it comes from a JSON file or from a text log. For
// tools.
#pragma once

#include <algorithm>
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

// function_key of the root, which no function of a program has.
inline const std::string root_key = "<root>";

struct ComparedPath {
    std::string function;                // as tables show it
    std::string path;                    // "leaf<main<init"; from the leaf
    std::string function_key, path_key;  // equal in both profiles for the same thing
    std::uint32_t stid = 0;
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0, inclusive_ns = 0;
    std::int64_t overhead_ns = 0;  // of measuring its calls; 0 for logs without that column
    // How much of exclusive_ns may be overhead of calls that the other profile did not measure.
    std::int64_t doubt_ns = 0;
    bool outermost = true;            // the function is nowhere above in the path
    std::uint32_t parent = no_index;  // index into ComparedProfile::paths; no_index: not known
    std::string caller_key;           // function_key of the caller; empty: there is none
    std::vector<RowMetric> metrics;
};

// The measurements of a function before it was filtered or, if it was not, in the whole run.
struct FilteredFigures {
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0, overhead_ns = 0;
};

// A function without paths, and what was measured for it before (see FilteredFunction).
struct ComparedFiltered {
    std::string function, function_key;  // as in ComparedPath
    FilterReason reason = FilterReason::budget;
    bool still_called = false;
    FilteredFigures figures;
};

struct ComparedProfile {
    std::string file;
    std::string application;  // may be empty for logs of Vftrace 2.0
    std::int64_t runtime_ns = 0;
    std::uint32_t ranks = 1, threads = 1;
    std::vector<RunParameter> parameters;  // none for a log
    bool from_log = false;                 // times are rounded to 1 ms, names may be shortened
    std::size_t name_width = std::string::npos;  // to which names are shortened
    std::vector<ComparedPath> paths;             // without paused ones
    std::vector<ComparedFiltered> filtered;      // for a log those that it lists
    std::vector<Metric> metrics;                 // none for a log
    std::vector<RowMetric> totals;               // of all threads, ranks, hosts or devices together
};

// ComparedPath::path_key of a profile that is not compared with a log.
std::string path_key_of_hash(std::uint64_t hash);

// Keys are made from the symbols' names, which do not depend on how names are shown, or, to compare
// with a log, from the names that it shows (`as_log`), shortened to `name_width`.
ComparedProfile compared_profile(const Profile& profile, std::string file, bool as_log,
                                 std::size_t name_width);

// A function without paths in one of two profiles that the other one has measured.
struct FilteredInOne {
    std::string function;
    bool in_a = false;  // filtered there; else in b
    FilterReason reason = FilterReason::budget;
    bool still_called = false;
    FilteredFigures a, b;

    std::int64_t longest_ns() const { return std::max(a.exclusive_ns, b.exclusive_ns); }
};

struct ComparedPair {
    ComparedProfile a, b;
    // These do not have paths in either, so that callers can be compared: see
    // fold_filtered_in_one().
    std::vector<FilteredInOne> filtered_in_one;
};

// Reads both files. Throws ComparisonError and ProfileFormatError.
ComparedPair read_compared_pair(const std::string& file_a, const std::string& file_b);

}  // namespace vftrace
