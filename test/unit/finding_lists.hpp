// The findings of a profile, in the form that tests use.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.hpp"

namespace vftrace::test {

// Causes and effects.
inline std::vector<RunFinding> of_rule(const Profile& profile, std::string_view rule) {
    std::vector<RunFinding> found;
    for (const RunFinding& group : find_all(profile, 100)) {
        found.push_back(group);
        found.insert(found.end(), group.effects.begin(), group.effects.end());
    }
    std::erase_if(found, [&](const RunFinding& finding) { return finding.rule != rule; });
    return found;
}

// Only faults, without remarks.
inline std::size_t faults(const Profile& profile) {
    const std::vector<RunFinding> all = find_all(profile, 100);
    for (const RunFinding& finding : all)
        if (!finding.is_remark())
            UNSCOPED_INFO(std::string(finding.rule) + ": " + finding.sentence);
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const RunFinding& finding) { return !finding.is_remark(); }));
}

}  // namespace vftrace::test
