// Files are opened again and again.
#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_many_opens(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05, many_of_rank = 100;
    for (const UsesOfFile& file : uses_by_file(run.profile, run.file_uses)) {
        double opens = 0, seconds = 0;
        const FileUse* opened = nullptr;
        for (const FileUse* use : file.uses) {
            if (use->operation != IoOperation::open && use->operation != IoOperation::close)
                continue;
            seconds += use->seconds();
            if (use->operation != IoOperation::open)
                continue;
            opens += use->timed();
            if (!opened || use->seconds() > opened->seconds())
                opened = use;
        }
        const double saved = run.elapsed_share_of(seconds);
        if (!opened || opens < many_of_rank * file.file->ranks ||
            !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = opened->calls->path;
        finding.sentence =
            format("%s is opened %s times, which takes %s with closing it: %s.",
                   file_name(*file.file).c_str(), count_text(opens).c_str(),
                   seconds_text(seconds / run.ranks).c_str(), run.place(finding.path).c_str());
        finding.reason = format("%s times by each rank that uses it; once would do.",
                                count_text(opens / file.file->ranks).c_str());
        finding.confidence = Confidence::certain;
        finding.next_step = "Open it once and keep it open; \"vftrace report --files FILE\" shows "
                            "opens by file and path.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
