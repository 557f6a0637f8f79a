// Several ranks write to one file, at offsets that are not those of its blocks.
#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_unaligned(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05, least_part = 0.5;
    for (const UsesOfFile& file : uses_by_file(run.profile, run.file_uses)) {
        if (file.file->writers < 2 || file.file->block == 0)
            continue;
        const WritingSums sums = sums_of_writing(file);
        const double saved = run.elapsed_share_of(sums.seconds) / 2;
        if (!sums.longest || !(sums.unaligned > least_part * sums.placed) ||
            !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = sums.longest->calls->path;
        finding.sentence =
            format("%s of the writes of %u ranks to %s do not begin at a block of %s: %s.",
                   percent_text(sums.unaligned / sums.placed).c_str(), file.file->writers,
                   file_name(*file.file).c_str(), bytes_text(file.file->block).c_str(),
                   run.place(finding.path).c_str());
        finding.reason = "Two ranks that write to one block wait for each other, and a block that "
                         "is written in part may have to be read before.";
        finding.confidence = Confidence::possible;
        finding.next_step = "Give each rank whole blocks: pad its part, or set the alignment "
                            "(H5Pset_alignment; hints striping_unit and cb_buffer_size of MPI-IO).";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
