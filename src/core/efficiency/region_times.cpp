#include "efficiency/region_times.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"

namespace vftrace {
namespace {

bool is_counted(const std::vector<bool>& is_inside, std::uint32_t path) {
    return is_inside.empty() || is_inside[path];
}

NodeKind kind_of(const Profile& profile, std::uint32_t path) {
    return profile.functions[profile.paths[path].function].kind;
}

// Of the paths that all ranks call equally often: how much longer a rank is there than the rank
// with the shortest time, which does not wait but moves the same data.
void add_waiting(const Profile& profile, const std::vector<bool>& is_inside,
                 std::vector<RankTime>& ranks) {
    for (const RankValues& row : profile.rank_values) {
        const Function& function = profile.functions[profile.paths[row.path].function];
        if (function.kind != NodeKind::mpi || !is_counted(is_inside, row.path) ||
            row.exclusive_ns.size() != ranks.size())
            continue;
        const MpiCall call = mpi_call(function.name);
        std::int64_t least = 0;
        if (call == MpiCall::all_to_all) {
            const auto different = [&](std::uint64_t calls) { return calls != row.calls.front(); };
            if (std::any_of(row.calls.begin(), row.calls.end(), different))
                continue;
            least = *std::min_element(row.exclusive_ns.begin(), row.exclusive_ns.end());
        } else if (call != MpiCall::waiting) {
            continue;
        }
        for (std::size_t rank = 0; rank < ranks.size(); rank++)
            ranks[rank].waiting += static_cast<double>(row.exclusive_ns[rank] - least);
    }
}

// MPI on threads that the program starts itself: the rank may compute meanwhile.
bool threads_call_mpi(const Profile& profile) {
    double whole = 0, on_threads = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (kind_of(profile, i) != NodeKind::mpi)
            continue;
        const auto ns = static_cast<double>(profile.paths[i].exclusive_ns);
        whole += ns;
        if (is_below_kind(profile, i, NodeKind::thread))
            on_threads += ns;
    }
    constexpr double negligible = 0.01;
    return on_threads > negligible * whole;
}

RegionTimes times_of_run(const Profile& profile) {
    RegionTimes times;
    const RunInfo& run = profile.run;
    if (profile.ranks.size() < 2) {
        RankTime& one = times.ranks.emplace_back();
        one.host = run.host;
        one.elapsed =
            static_cast<double>(std::max<std::int64_t>(run.runtime_ns - run.paused_ns, 0));
        for (const RankFigures& rank : profile.ranks)
            one.mpi = static_cast<double>(rank.mpi_ns);
        return times;
    }
    if (run.paused_ns > 0) {
        times.remark = "The pauses of each rank are not known.";
        return times;
    }
    for (const RankFigures& rank : profile.ranks)
        times.ranks.push_back(
            {rank.host, static_cast<double>(rank.runtime_ns), static_cast<double>(rank.mpi_ns)});
    add_waiting(profile, {}, times.ranks);
    return times;
}

// Whether some of the time may be that of other threads than the main thread.
bool has_other_threads(const Profile& profile, const std::vector<bool>& is_inside) {
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (is_inside[i] && profile.paths[i].exclusive_ns > 0 &&
            (kind_of(profile, i) == NodeKind::openmp || kind_of(profile, i) == NodeKind::thread ||
             is_below_kind(profile, i, NodeKind::openmp) ||
             is_below_kind(profile, i, NodeKind::thread)))
            return true;
    return false;
}

RegionTimes times_by_path(const Profile& profile, const std::vector<bool>& is_inside) {
    RegionTimes times;
    RankTime& one = times.ranks.emplace_back();
    one.host = profile.run.host;
    const bool several = !profile.thread_paths.empty();
    const auto add = [&](std::uint32_t path, std::int64_t ns) {
        if (!is_inside[path])
            return;
        one.elapsed += static_cast<double>(ns);
        if (kind_of(profile, path) == NodeKind::mpi)
            one.mpi += static_cast<double>(ns);
    };
    for (std::uint32_t i = 0; !several && i < profile.paths.size(); i++)
        add(i, profile.paths[i].exclusive_ns);
    for (const ThreadPath& part : profile.thread_paths)
        if (part.thread == 0)
            add(part.path, part.exclusive_ns);
    if (!several && has_other_threads(profile, is_inside)) {
        times.ranks.clear();
        times.remark = "The times of the threads in the region are not known.";
    }
    return times;
}

RegionTimes times_by_rank(const Profile& profile, const std::vector<bool>& is_inside) {
    RegionTimes times;
    if (has_other_threads(profile, is_inside)) {
        times.remark =
            "Several threads work in the region: the times of ranks in it are not known.";
        return times;
    }
    std::vector<RankTime> ranks(profile.ranks.size());
    for (std::size_t i = 0; i < ranks.size(); i++)
        ranks[i].host = profile.ranks[i].host;
    double whole = 0, known = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (is_inside[i])
            whole += static_cast<double>(profile.paths[i].exclusive_ns);
    for (const RankValues& row : profile.rank_values) {
        if (!is_inside[row.path] || row.exclusive_ns.size() != ranks.size())
            continue;
        const bool is_mpi = kind_of(profile, row.path) == NodeKind::mpi;
        for (std::size_t rank = 0; rank < ranks.size(); rank++) {
            const auto ns = static_cast<double>(row.exclusive_ns[rank]);
            known += ns;
            ranks[rank].elapsed += ns;
            if (is_mpi)
                ranks[rank].mpi += ns;
        }
    }
    constexpr double least_known = 0.95;
    if (!(known >= least_known * whole) || whole <= 0) {
        times.remark = format("Times by rank are known for only %.0f %% of the region's time: the "
                              "profile has them only for paths with much of the time, and in jobs "
                              "that are not too large (option json_values_by_rank).",
                              whole > 0 ? 100 * known / whole : 0.0);
        return times;
    }
    add_waiting(profile, is_inside, ranks);
    for (const RankTime& rank : ranks)
        if (rank.elapsed > 0)
            times.ranks.push_back(rank);
    return times;
}

}  // namespace

bool is_below_kind(const Profile& profile, std::uint32_t path, NodeKind kind) {
    while ((path = profile.paths[path].parent) != no_index)
        if (kind_of(profile, path) == kind)
            return true;
    return false;
}

std::vector<bool> paths_of_region(const Profile& profile, std::uint32_t function) {
    std::vector<bool> is_inside(profile.paths.size(), false);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        is_inside[i] =
            path.function == function || (path.parent != no_index && is_inside[path.parent]);
    }
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (profile.paths[i].flags & path_paused)
            is_inside[i] = false;
    return is_inside;
}

RegionTimes times_of_region(const Profile& profile, const std::vector<bool>& is_inside) {
    RegionTimes times;
    if (profile.run.uses_mpi && profile.ranks.size() < profile.run.ranks)
        times.remark =
            format("The profile has %zu of %u ranks.", profile.ranks.size(), profile.run.ranks);
    else if (is_from_outside(profile.run))
        times.remark = "The program was sampled from outside: MPI and waiting are not known.";
    else if (profile.ranks.size() > 1 && threads_call_mpi(profile))
        times.remark = "Several threads call MPI: the computing time of ranks is not known.";
    else if (is_inside.empty())
        return times_of_run(profile);
    else if (profile.ranks.size() > 1)
        return times_by_rank(profile, is_inside);
    else
        return times_by_path(profile, is_inside);
    return times;
}

}  // namespace vftrace
