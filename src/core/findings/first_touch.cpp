// Large blocks whose pages one thread touched first, so that they are on its memory node, while
// threads on other nodes use them.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {

// A remark: how much slower memory of another node is depends on the machine and the access.
void find_first_touch(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double fewest_touches = 8, least_part_of_one = 0.9, surely_most = 0.6;
    constexpr double fewest_uses = 20, least_far = 0.2, least_share = 0.05;
    const double samples = run.memory_use_samples;
    for (const SitePlacement& site : run.placements) {
        if (site.touches_seen < fewest_touches || site.known_uses() < fewest_uses ||
            SitePlacement::users(site.nodes) < 2)
            continue;
        const SitePlacement::Share& first = site.main_toucher();
        const double part = first.touched / site.touched;
        const ErrorBounds far = proportion_95(site.far_uses, site.known_uses());
        if (!(part >= least_part_of_one) ||
            proportion_95(part * site.touches_seen, site.touches_seen).low < surely_most ||
            far.low < least_far || !(site.far_uses >= least_share * samples))
            continue;
        RunFinding finding = run.finding(rule, 0);
        finding.path = site.path;
        finding.sentence = format(
            "Thread %u alone touched first the memory that was allocated by %s; %zu threads on %zu "
            "memory nodes use it.",
            first.number, run.place(site.path).c_str(), SitePlacement::users(site.threads),
            SitePlacement::users(site.nodes));
        finding.reason = format(
            "This thread touched %s of %s first; in %s of %.0f samples (%.0f to %.0f %%) of "
            "threads "
            "that were about to access it, it was on another node than the thread, if it is where "
            "it was touched first.",
            percent_text(part).c_str(), bytes_text(site.touched).c_str(),
            percent_text(site.far_share()).c_str(), site.known_uses(), 100 * far.low,
            100 * far.high);
        finding.confidence = Confidence::likely;
        finding.next_step =
            "Initialize it in a parallel loop in which each thread writes what it uses later, and "
            "bind the threads (OMP_PROC_BIND=close); or distribute it over the nodes (numactl "
            "--interleave=all). \"vftrace report --memory FILE\" has the table \"Placement\".";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
