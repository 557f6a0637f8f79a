#include "brief/brief_difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/shell_word.hpp"
#include "brief/brief_words.hpp"
#include "compare/filtered_in_one.hpp"
#include "compare/function_sums.hpp"
#include "compare/profile_difference.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

BriefChange change_of(const DifferenceRow& row, const std::map<std::string, FunctionSum>& in_old,
                      const std::map<std::string, FunctionSum>& in_new) {
    BriefChange change;
    change.name = row.function;
    change.in_old = row.a.present;
    change.in_new = row.b.present;
    change.old_seconds = seconds(row.a.exclusive_ns);
    change.new_seconds = seconds(row.b.exclusive_ns);
    double squares = 0;
    const auto add = [&](const std::map<std::string, FunctionSum>& sums, std::uint64_t calls,
                         std::optional<std::uint64_t>& exact) {
        const auto found = sums.find(row.function);
        if (found == sums.end())
            return;
        squares += found->second.error_seconds * found->second.error_seconds;
        if (found->second.exact_calls)
            exact = calls;
    };
    add(in_old, row.a.calls, change.old_calls);
    add(in_new, row.b.calls, change.new_calls);
    change.doubt_seconds = std::sqrt(squares) + seconds(std::max(row.a.doubt_ns, row.b.doubt_ns));
    return change;
}

// What a finding is about, to find it in the other profile: they name the same place.
std::string subject_of(const RunFinding& finding, const Profile& profile) {
    const std::string place = finding.path < profile.paths.size()
                                  ? profile.functions[profile.paths[finding.path].function].display
                                  : std::string();
    return std::string(finding.rule) + ' ' + place;
}

// Those of `findings` that are not among the other ones, each of its profile.
std::vector<RunFinding> only_in_first(std::vector<RunFinding> findings, const Profile& profile,
                                      const std::vector<RunFinding>& others,
                                      const Profile& other_profile) {
    std::set<std::string> of_other;
    for (const RunFinding& finding : others)
        of_other.insert(subject_of(finding, other_profile));
    std::erase_if(findings, [&](const RunFinding& finding) {
        return of_other.count(subject_of(finding, profile)) > 0;
    });
    return findings;
}

}  // namespace

BriefDifference brief_difference(const Profile& old_profile, const Profile& new_profile,
                                 std::string_view old_file, std::string_view new_file,
                                 std::size_t most) {
    BriefDifference result;
    result.old_run = brief_of_run(old_profile);
    result.new_run = brief_of_run(new_profile);
    ComparedPair pair{
        compared_profile(old_profile, std::string(old_file), false, std::string::npos),
        compared_profile(new_profile, std::string(new_file), false, std::string::npos),
        {}};
    fold_filtered_in_one(pair);
    const std::map<std::string, FunctionSum> in_old = function_sums(old_profile),
                                             in_new = function_sums(new_profile);
    for (const DifferenceRow& row : profile_difference(pair, DifferenceBy::function)) {
        BriefChange change = change_of(row, in_old, in_new);
        result.same_calls += change.old_calls && change.old_calls == change.new_calls;
        if (change.calls_changed())
            result.other_calls.push_back(change);
        if (change.old_seconds > 0 || change.new_seconds > 0)
            result.functions.push_back(std::move(change));
    }
    result.functions_in_all = result.functions.size();
    result.functions.resize(std::min(result.functions.size(), most));
    result.other_calls_in_all = result.other_calls.size();
    result.other_calls.resize(std::min(result.other_calls.size(), most));
    const std::vector<RunFinding> of_old = find_all(old_profile, most_findings, old_file),
                                  of_new = find_all(new_profile, most_findings, new_file);
    result.new_findings = only_in_first(of_new, new_profile, of_old, old_profile);
    result.gone_findings = only_in_first(of_old, old_profile, of_new, new_profile);
    if (!result.functions.empty()) {
        const BriefChange& first = result.functions.front();
        result.next.push_back(fmt::format("vftrace report --function {} {}", shell_word(first.name),
                                          shell_word(first.in_new ? new_file : old_file)));
    }
    result.next.push_back(
        fmt::format("vftrace diff {} {}", shell_word(old_file), shell_word(new_file)));
    return result;
}

}  // namespace vftrace
