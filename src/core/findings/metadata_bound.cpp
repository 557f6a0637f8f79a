// More time is spent on names and sizes of files than on their contents.
#include <algorithm>

#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_metadata_bound(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05, least_calls = 1000;
    const std::vector<IoOperation> operations = io_operations(run.profile);
    double calls = 0, seconds = 0, data_seconds = 0;
    const FileCalls* longest = nullptr;
    for (const FileCalls& row : run.profile.file_calls) {
        if (row.kind != FileKind::file && row.kind != FileKind::folder &&
            row.kind != FileKind::other)
            continue;
        const IoOperation operation = operations[run.profile.paths[row.path].function];
        const double own = static_cast<double>(row.ns) / 1e9;
        if (moves_bytes(operation)) {
            data_seconds += own;
        } else if (operation != IoOperation::sync) {  // that waits for the data
            seconds += own;
            calls += static_cast<double>(row.calls);
            if (!longest || row.ns > longest->ns)
                longest = &row;
        }
    }
    const double saved = run.elapsed_share_of(seconds);
    if (!longest || seconds < data_seconds || calls < least_calls * run.ranks ||
        !run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.path = longest->path;
    finding.sentence =
        format("%s calls that open, close, look at or rename files take %s, most of it in %s.",
               count_text(calls).c_str(), seconds_text(seconds / run.ranks).c_str(),
               run.place(finding.path).c_str());
    finding.reason =
        format("Reading and writing takes %s.", seconds_text(data_seconds / run.ranks).c_str());
    finding.confidence = Confidence::certain;
    finding.next_step = "Use fewer files and keep them open; ask for what is known already less "
                        "often; \"vftrace report --files FILE\" shows files and paths.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
