// Many read and write calls of few bytes.
//
// If calls with files were recorded, their sizes and times are known; otherwise their time is
// estimated.
#include <cmath>

#include "base/text.hpp"
#include "findings/file_use.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1;

// "2,000,000 read calls of 1 byte on average"
std::string calls_text(double calls, double bytes, const char* what) {
    const double mean = std::round(10 * bytes / calls) / 10;
    return format("%s %s calls of %.*f byte%s on average", count_text(calls).c_str(), what,
                  mean < 10 && mean != std::floor(mean) ? 1 : 0, mean, plural_s(mean));
}

void find_small_calls(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share_of_measured = 0.05, bytes_per_s = 1e9;
    constexpr double few_bytes = 4096, many_calls_of_rank = 1000;
    for (const FileUse& use : run.file_uses) {
        // What MPI makes of its calls is for other rules.
        if (!use.moves_bytes() || use.mpi != no_index || use.mean_bytes() > few_bytes ||
            use.timed() < many_calls_of_rank * run.ranks)
            continue;
        const double saved = run.elapsed_share_of(use.seconds() - use.bytes() / bytes_per_s);
        if (!run.is_worth_it(saved, least_share_of_measured))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = use.calls->path;
        finding.sentence = format(
            "%s calls of %s on average with %s take %s: %s.", count_text(use.timed()).c_str(),
            bytes_text(use.mean_bytes()).c_str(), file_name(*use.file).c_str(),
            seconds_text(use.seconds() / run.ranks).c_str(), run.place(finding.path).c_str());
        finding.reason = format("Each takes %.1f us, most of it the way into the kernel and back.",
                                1e6 * use.seconds() / use.timed());
        finding.confidence = Confidence::certain;
        finding.next_step = "Read and write larger blocks, or use a buffer (setvbuf; streams "
                            "without std::endl); \"vftrace report --files FILE\" shows the sizes.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace

void find_small_io(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    if (has_files(run.profile))
        return find_small_calls(run, rule, findings);
    const ResourceFigures& figures = run.resources;
    const bool reads = figures.are_small(figures.read_calls, figures.read_bytes),
               writes = figures.are_small(figures.write_calls, figures.written_bytes);
    if (!reads && !writes)
        return;
    const double saved = run.elapsed_share_of(figures.small_calls_s());
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    std::string calls;
    if (reads)
        calls = calls_text(figures.read_calls, figures.read_bytes, "read");
    if (writes)
        calls += (reads ? " and " : "") +
                 calls_text(figures.write_calls, figures.written_bytes, "write");
    const FunctionsTime time = run.time_in(system_call_functions);
    finding.path = time.longest;
    finding.sentence =
        format("Input and output in small pieces takes up to %s: %s%s.",
               seconds_text(saved).c_str(), calls.c_str(), run.most_of_it(time).c_str());
    finding.reason = "Each call enters the kernel, which takes longer than moving a few bytes.";
    finding.confidence = figures.small_calls_s() >= figures.processor_s() / 4 ? Confidence::certain
                                                                              : Confidence::likely;
    finding.next_step = "Read and write larger blocks, or use a buffer (setvbuf; streams without "
                        "std::endl); \"vftrace report --process FILE\" shows the calls of each "
                        "rank.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
