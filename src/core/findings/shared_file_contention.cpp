// Ranks that write to one file delay each other.
#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {

void find_shared_file_contention(const RunFacts& run, std::string_view rule,
                                 RunFindings& findings) {
    // Slower than any file system by itself.
    constexpr double least_share = 0.1, fewest_writers = 4, slow_bytes_per_s = 50e6;
    for (const UsesOfFile& file : uses_by_file(run.profile, run.file_uses)) {
        if (file.file->writers < fewest_writers)
            continue;
        const WritingSums sums = sums_of_writing(file);
        constexpr double few_bytes = 64 << 10;  // small calls are slow by themselves
        const double saved = run.elapsed_share_of(sums.seconds - sums.bytes / slow_bytes_per_s);
        if (!sums.longest || sums.bytes < few_bytes * sums.calls ||
            !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = sums.longest->calls->path;
        finding.sentence =
            format("%u ranks write %s to %s in %s each, most of it in %s.", file.file->writers,
                   bytes_text(sums.bytes).c_str(), file_name(*file.file).c_str(),
                   seconds_text(sums.seconds / file.file->writers).c_str(),
                   run.place(finding.path).c_str());
        finding.reason = format("That is %s a second by each, in calls of %s.",
                                bytes_text(sums.bytes / sums.seconds).c_str(),
                                bytes_text(sums.bytes / sums.calls).c_str());
        finding.confidence = Confidence::possible;
        finding.next_step = "Let fewer ranks write (hint cb_nodes of MPI-IO), spread the file over "
                            "more targets (hint striping_factor; lfs setstripe on Lustre), or "
                            "write a file for each node.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
