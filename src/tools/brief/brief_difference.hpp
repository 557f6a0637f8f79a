// What is different between two profiles, for readers in a hurry (brief.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.hpp"
#include "brief/brief.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// A function in both profiles, over all of its call paths, threads and ranks.
struct BriefChange {
    std::string name;
    bool in_old = false, in_new = false;
    double old_seconds = 0, new_seconds = 0;  // own time
    double doubt_seconds = 0;                 // of the difference; 0: not known
    // Nothing if not all calls were counted.
    std::optional<std::uint64_t> old_calls, new_calls;

    double more_seconds() const { return new_seconds - old_seconds; }
    bool calls_changed() const { return old_calls && new_calls && *old_calls != *new_calls; }
};

struct BriefDifference {
    BriefRun old_run, new_run;
    std::vector<BriefChange> functions;  // those whose own time differs most first
    std::size_t functions_in_all = 0;
    std::vector<BriefChange> other_calls;  // functions whose number of calls differs
    std::size_t other_calls_in_all = 0;
    std::size_t same_calls = 0;                           // functions with the same number of calls
    std::vector<RunFinding> new_findings, gone_findings;  // only in one of the profiles
    std::vector<std::string> next;                        // commands
};

BriefDifference brief_difference(const Profile& old_profile, const Profile& new_profile,
                                 std::string_view old_file, std::string_view new_file,
                                 std::size_t most);

// `old_file`, `new_file`: how commands name the profiles.
std::string brief_text(const BriefDifference& difference, std::string_view old_file,
                       std::string_view new_file);
void write_brief_json(const BriefDifference& difference, OutputFile& out);

}  // namespace vftrace
