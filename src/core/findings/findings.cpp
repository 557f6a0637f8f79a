#include "findings/findings.hpp"

#include <algorithm>
#include <iterator>

#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr struct {
    void (*find)(const RunFacts&, std::string_view, RunFindings&);
    std::string_view id;
} rules[] = {
#define VFTRACE_FINDING_RULE(function, id) {find_##function, id},
#include "findings/rules.inc"
#undef VFTRACE_FINDING_RULE
};

}  // namespace

std::string_view word_of(Confidence confidence) {
    constexpr std::string_view words[] = {"possible", "likely", "certain"};
    return words[static_cast<std::size_t>(confidence)];
}

std::vector<RunFinding> find_all(const Profile& profile, std::size_t most) {
    const RunFacts run(profile);
    RunFindings findings;
    for (const auto& rule : rules)
        rule.find(run, rule.id, findings);
    // A place that was shortened ends with an ellipsis, which also ends the sentence.
    for (RunFinding& finding : findings)
        for (std::string* text : {&finding.sentence, &finding.reason})
            if (text->ends_with("< ...."))
                text->pop_back();
    std::stable_sort(
        findings.begin(), findings.end(),
        [](const RunFinding& a, const RunFinding& b) { return a.saved_seconds > b.saved_seconds; });
    if (findings.size() > most)
        findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(most), findings.end());
    return findings;
}

}  // namespace vftrace
