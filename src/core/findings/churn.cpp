// Paths that allocate blocks and free them at once, again and again.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_churn(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    // What malloc and free of a small block cost at least.
    constexpr double seconds_of_pair = 10e-9, least_share = 0.05;
    for (const PathHeap& row : run.heap) {
        if (!(row.temporary > 0) || row.calls.value < row.temporary)
            continue;
        const Estimate temporary = {row.temporary,
                                    row.calls.variance * row.temporary / row.calls.value};
        const double pairs = interval_95(temporary).low;
        const double saved = run.elapsed_share_of(pairs * seconds_of_pair);
        if (!run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = row.path;
        finding.sentence = format(
            "About %s blocks of %s are freed before the next one is allocated, by %s.",
            count_text(row.temporary).c_str(),
            bytes_text(row.allocated.value / row.calls.value).c_str(), run.place(row.path).c_str());
        finding.reason = format("That is %s a second; malloc and free of a small block take 10 ns "
                                "or more together.",
                                count_text(row.temporary / run.elapsed_s).c_str());
        finding.confidence = Confidence::likely;
        finding.next_step = "Keep one block and use it again, or a variable on the stack; "
                            "\"vftrace report --memory FILE\" shows all allocations by path.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
