#include "findings/waiting_paths.hpp"

#include "base/text.hpp"

namespace vftrace {
namespace {

bool is_of_first_thread(const RunFacts& run, std::uint32_t path) {
    for (; path != no_index; path = path > 0 ? run.profile.paths[path].parent : no_index)
        if (run.kind(path) == NodeKind::thread)
            return false;
    return true;
}

}  // namespace

WaitsOfProgram waits_of_program(const RunFacts& run, std::initializer_list<WaitKind> kinds,
                                Whose whose) {
    WaitsOfProgram sum;
    for (const PathWaits& row : run.waits) {
        if (!run.is_own_code(row.path) ||
            is_of_first_thread(run, row.path) != (whose == Whose::first_thread))
            continue;
        double seconds = 0;
        for (const WaitKind kind : kinds) {
            const std::size_t place = static_cast<std::size_t>(kind) - 1;
            seconds += row.ns[place] / 1e9;
            sum.waits += row.waits[place];
        }
        sum.seconds += seconds;
        if (seconds > sum.longest_seconds) {
            sum.longest_seconds = seconds;
            sum.longest = row.path;
        }
    }
    return sum;
}

std::string most_of_it(const RunFacts& run, const WaitsOfProgram& waits) {
    if (waits.longest == no_index)
        return {};
    const bool is_all = waits.longest_seconds > 0.95 * waits.seconds;
    return format(", %s in %s", is_all ? "all of it" : "most of it",
                  run.place(waits.longest).c_str());
}

std::optional<RunFinding> finding_about(const RunFacts& run, std::string_view rule,
                                        const WaitsOfProgram& waits, double least_share) {
    const double saved = waits.seconds / run.ranks;
    if (!run.is_worth_it(saved, least_share))
        return {};
    RunFinding finding = run.finding(rule, saved);
    finding.path = waits.longest;
    return finding;
}

}  // namespace vftrace
