#include "findings/reliability.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace vftrace {
namespace {

// Parts of the time in which threads could run. Below the first one, the machine counts as quiet;
// above the last one, nothing that others can explain is said.
constexpr double quiet = 0.01, busy = 0.05, useless = 0.5;

enum class Evidence : std::uint8_t { waiting, work };

Evidence evidence_of(std::string_view rule) {
    static constexpr struct {
        std::string_view id;
        Evidence evidence;
    } rows[] = {
#define VFTRACE_FINDING_RULE(function, id, evidence) {id, Evidence::evidence},
#include "findings/rules.inc"
#undef VFTRACE_FINDING_RULE
    };
    const auto* row = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const auto& known) { return known.id == rule; });
    return row == std::end(rows) ? Evidence::waiting : row->evidence;
}

void lower(RunFinding& finding, Confidence most, double share) {
    finding.confidence = std::min(finding.confidence, most);
    finding.reason += format(" Other programs had the processors for %s of the time in which "
                             "threads could run%s.",
                             percent_text(share).c_str(),
                             most == Confidence::possible ? ", and may be the cause" : "");
}

}  // namespace

void leave_what_is_supported(const RunFacts& run, RunFindings& findings) {
    const double share = run.contention.disturbed_share(), delay = run.contention.delay_s;
    if (share < quiet)
        return;
    std::erase_if(findings, [&](RunFinding& finding) {
        if (evidence_of(finding.rule) == Evidence::work) {
            if (share >= busy && !finding.is_remark())
                lower(finding, share >= useless ? Confidence::possible : Confidence::likely, share);
            return false;
        }
        const double explained = finding.is_remark() ? share * run.elapsed_s : delay;
        const bool by_others = explained >= finding.saved_seconds;
        if (by_others && share >= useless)
            return true;
        if (by_others || share >= useless)
            lower(finding, Confidence::possible, share);
        else if (share >= busy || 2 * explained >= finding.saved_seconds)
            lower(finding, Confidence::likely, share);
        return false;
    });
}

}  // namespace vftrace
