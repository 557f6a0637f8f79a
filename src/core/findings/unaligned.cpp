// Several ranks write to one file, at offsets that are not those of its blocks.
#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_unaligned(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05, least_part = 0.5;
    const std::vector<FileUse> uses = file_uses(run);
    for (const UsesOfFile& file : uses_by_file(uses)) {
        if (file.file->writers < 2 || file.file->block == 0)
            continue;
        double placed = 0, unaligned = 0, seconds = 0;
        const FileUse* longest = nullptr;
        for (const FileUse* use : file.uses) {
            if (use->calls->written == 0)
                continue;
            placed += static_cast<double>(use->calls->placed);
            unaligned += static_cast<double>(use->calls->unaligned);
            seconds += use->seconds();
            if (!longest || use->seconds() > longest->seconds())
                longest = use;
        }
        const double saved = run.elapsed_share_of(seconds) / 2;
        if (!longest || !(unaligned > least_part * placed) || !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = longest->calls->path;
        finding.sentence =
            format("%s of the writes of %u ranks to %s do not begin at a block of %s: %s.",
                   percent_text(unaligned / placed).c_str(), file.file->writers,
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
