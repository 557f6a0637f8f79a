#include "efficiency/openmp_times.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// One rank's threads.
struct Team {
    std::uint64_t threads = 0;
    double parallel = 0;           // of the main thread, in parallel regions
    double busy = 0, busiest = 0;  // in parallel regions without waiting: sum, largest of a thread
};

bool is_worker_or_main(const Profile& profile, const ThreadFigures& thread) {
    return thread.openmp_worker || !is_below_kind(profile, thread.start, NodeKind::thread);
}

// By position in Profile::ranks. Empty if the teams are not known: `remark` says why.
std::vector<Team> teams_of(const Profile& profile, std::size_t ranks, std::string& remark) {
    std::vector<Team> teams(ranks);
    std::vector<bool> has_main(ranks, false);
    for (const ThreadFigures& thread : profile.threads) {
        if (thread.number == no_index) {
            remark = "The profile does not have all threads, because the job is large.";
            return {};
        }
        const bool counts = is_worker_or_main(profile, thread);
        if (!counts && thread.parallel_ns == 0)
            continue;  // a thread that is not used by OpenMP
        std::size_t at = 0;
        if (ranks > 1)
            while (at < ranks && profile.ranks[at].rank != thread.rank)
                at++;
        const bool is_main = !thread.openmp_worker && at < ranks && !has_main[at];
        if (!counts || at == ranks || (!thread.openmp_worker && !is_main)) {
            remark = "Several threads start parallel regions.";
            return {};
        }
        Team& team = teams[at];
        const auto busy =
            static_cast<double>(std::max<std::int64_t>(thread.parallel_ns - thread.waiting_ns, 0));
        team.threads += thread.threads;
        team.busy += busy;
        team.busiest = std::max(team.busiest, busy / static_cast<double>(thread.threads));
        if (is_main) {
            has_main[at] = true;
            team.parallel = static_cast<double>(thread.parallel_ns);
        }
    }
    return teams;
}

bool calls_mpi_in_regions(const Profile& profile) {
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (profile.functions[profile.paths[i].function].kind == NodeKind::mpi &&
            profile.paths[i].exclusive_ns > 0 && is_below_kind(profile, i, NodeKind::openmp))
            return true;
    return false;
}

// `all` is the time that the threads of the teams had: what is not work, serial or imbalance is
// rest.
void add_rest(OpenmpTimes& times, double all) {
    times.rest = std::max(0.0, all - times.work - times.serial - times.imbalance);
}

// How much less the threads worked than the busiest thread of each region.
double imbalance_of_regions(const Profile& profile, const std::vector<bool>& is_inside) {
    double imbalance = 0;
    for (const ParallelRegion& region : profile.parallel_regions)
        if (is_inside.empty() || is_inside[region.path])
            imbalance += std::max(0.0, static_cast<double>(region.busy_max_ns) *
                                               static_cast<double>(region.threads) -
                                           static_cast<double>(region.busy_ns));
    return imbalance;
}

}  // namespace

OpenmpTimes openmp_times_of_run(const Profile& profile, std::vector<RankTime>& ranks) {
    OpenmpTimes times;
    if (calls_mpi_in_regions(profile)) {
        times.remark = "MPI is called in parallel regions.";
        return times;
    }
    const std::vector<Team> teams = teams_of(profile, ranks.size(), times.remark);
    double all = 0;
    for (std::size_t i = 0; i < teams.size(); i++) {
        const Team& team = teams[i];
        const auto threads = static_cast<double>(team.threads);
        if (team.threads == 0) {  // no threads with figures: a rank that did not record
            times.remark = "The threads of some ranks were not recorded.";
            times.processors = 0;
            return times;
        }
        const double outside = ranks[i].outside(), alone = std::max(0.0, outside - team.parallel);
        times.processors += team.threads;
        times.work += alone + team.busy;
        times.serial += (threads - 1) * alone;
        const double lacking = threads * std::min(team.parallel, outside) - team.busy;
        const double imbalance = teams.size() == 1 ? imbalance_of_regions(profile, {})
                                                   : threads * team.busiest - team.busy;
        times.imbalance += std::clamp(imbalance, 0.0, std::max(0.0, lacking));
        all += threads * outside;
        ranks[i].processors = threads;
    }
    // Over several regions, the losses of different threads may cancel out.
    times.imbalance_is_bound = teams.size() > 1 && profile.parallel_regions.size() > 1;
    add_rest(times, all);
    return times;
}

OpenmpTimes openmp_times_of_region(const Profile& profile, const RankTime& one,
                                   const std::vector<bool>& is_inside) {
    OpenmpTimes times;
    const std::vector<Team> teams = teams_of(profile, 1, times.remark);
    if (teams.empty() || calls_mpi_in_regions(profile))
        return times;
    const auto threads = static_cast<double>(teams.front().threads);
    double busy = 0, parallel = 0;
    for (const ParallelRegion& region : profile.parallel_regions)
        if (is_inside[region.path])
            busy += static_cast<double>(region.busy_ns);
    for (const ThreadPath& part : profile.thread_paths)
        if (part.thread == 0 && is_inside[part.path] &&
            (profile.functions[profile.paths[part.path].function].kind == NodeKind::openmp ||
             is_below_kind(profile, part.path, NodeKind::openmp)))
            parallel += static_cast<double>(part.exclusive_ns);
    const double alone = std::max(0.0, one.outside() - parallel);
    times.processors = teams.front().threads;
    times.work = alone + busy;
    times.serial = (threads - 1) * alone;
    times.imbalance = std::clamp(imbalance_of_regions(profile, is_inside), 0.0,
                                 std::max(0.0, threads * parallel - busy));
    add_rest(times, threads * one.outside());
    return times;
}

}  // namespace vftrace
