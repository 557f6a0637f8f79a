// Ranks read what others have written in the same run.
#include <algorithm>

#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_read_after_write(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    for (const UsesOfFile& file : uses_by_file(run.profile, run.file_uses)) {
        const FileFigures& figures = *file.file;
        // MPI-IO reads to write parts of blocks.
        if (figures.writers == 0 || figures.readers <= figures.read_and_wrote)
            continue;
        double seconds = 0;
        const FileUse* longest = nullptr;
        for (const FileUse* use : file.uses) {
            if (!use->moves_bytes() || use->mpi != no_index)
                continue;
            seconds += use->seconds();
            if (use->calls->read > 0 && (!longest || use->seconds() > longest->seconds()))
                longest = use;
        }
        const double saved = run.elapsed_share_of(seconds);
        if (!longest || !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = longest->calls->path;
        finding.sentence = format(
            "%u ranks read %s from %s, which %s in this run: %s.", figures.readers,
            bytes_text(static_cast<double>(figures.read)).c_str(), file_name(figures).c_str(),
            figures.writers == 1 ? "another one writes"
                                 : format("%u ranks write", figures.writers).c_str(),
            run.place(finding.path).c_str());
        finding.reason =
            format("Writing and reading it takes %s.", seconds_text(seconds / run.ranks).c_str());
        finding.confidence = Confidence::likely;
        finding.next_step = "Send the data with MPI, which does not need the file system.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
