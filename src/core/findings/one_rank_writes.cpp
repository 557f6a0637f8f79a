// One rank writes all that a job writes, while the others wait.
#include <algorithm>

#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_one_rank_writes(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05, least_part = 0.95, fewest_ranks = 4;
    if (run.ranks < fewest_ranks)
        return;
    // With MPI-IO, the ranks that write are the choice of the MPI library.
    double written = 0, by_one = 0, seconds = 0;
    const FileUse* longest = nullptr;
    for (const FileUse& use : run.file_uses) {
        if (use.calls->written == 0 || use.mpi != no_index)
            continue;
        const auto bytes = static_cast<double>(use.calls->written);
        written += bytes;
        by_one += use.file->writers == 1 ? bytes : 0;
        seconds += use.seconds();
        if (!longest || use.seconds() > longest->seconds())
            longest = &use;
    }
    const std::vector<RankBytes> ranks = rank_bytes(run.profile);
    if (!longest || ranks.empty())
        return;
    const auto most =
        std::max_element(ranks.begin(), ranks.end(), [](const RankBytes& a, const RankBytes& b) {
            return a.written < b.written;
        });
    double of_all = 0;
    for (const RankBytes& rank : ranks)
        of_all += rank.written;
    if (most->written < least_part * of_all || by_one < least_part * written)
        return;
    const double saved = seconds * (run.ranks - 1) / run.ranks;  // if each wrote its part
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.path = longest->calls->path;
    finding.rank = most->rank;
    finding.sentence =
        format("Rank %u writes %s of the %s that the job writes, in %s, most of it in %s.",
               most->rank, percent_text(most->written / of_all).c_str(), bytes_text(of_all).c_str(),
               seconds_text(seconds).c_str(), run.place(finding.path).c_str());
    finding.reason = format("The other %.0f ranks write next to nothing.", run.ranks - 1);
    finding.confidence = Confidence::likely;
    finding.next_step = "Let each rank write its part: MPI_File_write_at_all, or a parallel "
                        "library (HDF5, NetCDF, ADIOS).";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
