#include "findings/findings.hpp"

#include <algorithm>
#include <iterator>

#include "findings/groups.hpp"
#include "findings/reliability.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr struct {
    void (*find)(const RunFacts&, std::string_view, RunFindings&);
    std::string_view id;
} rules[] = {
#define VFTRACE_FINDING_RULE(function, id, evidence) {find_##function, id},
#include "findings/rules.inc"
#undef VFTRACE_FINDING_RULE
};

}  // namespace

std::string_view word_of(Confidence confidence) {
    constexpr std::string_view words[] = {"possible", "likely", "certain"};
    return words[static_cast<std::size_t>(confidence)];
}

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

void finish_sentences(RunFinding& finding, std::string_view file) {
    // A place that was shortened ends with an ellipsis, which also ends the sentence.
    for (std::string* text : {&finding.sentence, &finding.reason})
        if (text->ends_with("< ...."))
            text->pop_back();
    // Traces lie beside the profile of all ranks.
    constexpr std::string_view of_all = "all.json";
    if (file.ends_with(of_all))
        replace_all(finding.next_step, " *.vfd",
                    " " + std::string(file.substr(0, file.size() - of_all.size())) + "*.vfd");
    replace_all(finding.next_step, "FILE", file);
    for (RunFinding& effect : finding.effects)
        finish_sentences(effect, file);
}

}  // namespace

std::vector<RunFinding> find_all(const Profile& profile, std::size_t most, std::string_view file) {
    const RunFacts run(profile);
    RunFindings findings;
    for (const auto& rule : rules)
        rule.find(run, rule.id, findings);
    leave_what_is_supported(run, findings);
    findings = grouped_by_cause(std::move(findings), run.elapsed_s);
    for (RunFinding& finding : findings)
        finish_sentences(finding, file);
    if (findings.size() > most)
        findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(most), findings.end());
    return findings;
}

}  // namespace vftrace
