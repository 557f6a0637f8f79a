#include "report/time_split.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "record/metrics.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// Of one process, from its call paths.
TimeSplit split_of_paths(const Profile& profile) {
    TimeSplit split;
    split.rank = profile.ranks.empty() ? profile.run.rank : profile.ranks.front().rank;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (is_paused(profile, i))
            continue;
        const Path& path = profile.paths[i];
        const NodeKind kind = row_of(profile.functions[path.function].kind).category;
        (kind == NodeKind::mpi      ? split.mpi
         : kind == NodeKind::openmp ? split.openmp
         : kind == NodeKind::io     ? split.files
                                    : split.code) += seconds(path.exclusive_ns);
    }
    // Without function hooks or samples, most of the program's own code is in no row.
    split.code += std::max(0.0, seconds(profile.application_ns()) - split.total());
    return split;
}

// Calls visit(split, value) for each rank that has a value of this metric.
template <class Visit>
void for_each_value(const Profile& profile, MetricId id, std::vector<TimeSplit>& splits,
                    Visit visit) {
    const MetricRow& row = row_of(id);
    for (const RankMetric& value : profile.rank_metrics) {
        const Metric& metric = profile.metrics[value.metric];
        if (metric.name != row.name || metric.scope != row.scope)
            continue;
        for (TimeSplit& split : splits)
            if (split.rank == value.rank)
                visit(split, value.value);
    }
}

// Of several ranks, from the sums that the profile has for each. `profile.ranks` are sorted.
std::vector<TimeSplit> splits_of_ranks(const Profile& profile) {
    std::vector<TimeSplit> splits(profile.ranks.size());
    std::vector<double> in_threads(profile.ranks.size());
    for (std::size_t i = 0; i < splits.size(); i++) {
        splits[i].rank = profile.ranks[i].rank;
        splits[i].mpi = seconds(profile.ranks[i].mpi_ns);
    }
    for (const ThreadFigures& thread : profile.threads) {
        const auto place = std::lower_bound(
            splits.begin(), splits.end(), thread.rank,
            [](const TimeSplit& split, std::uint32_t rank) { return split.rank < rank; });
        if (place == splits.end() || place->rank != thread.rank)
            continue;
        double& sum = in_threads[static_cast<std::size_t>(place - splits.begin())];
        sum += seconds(thread.time_ns);
        place->openmp += seconds(thread.waiting_ns);
    }
    for_each_value(profile, MetricId::files_time, splits,
                   [](TimeSplit& split, double ns) { split.files = ns * 1e-9; });
    for (std::size_t i = 0; i < splits.size(); i++) {
        const RankFigures& rank = profile.ranks[i];
        const double own = std::max(in_threads[i], seconds(rank.runtime_ns - rank.overhead_ns));
        splits[i].code = std::max(0.0, own - splits[i].total());
    }
    return splits;
}

// It is not known in which part a thread waited: each gives the same share.
void take_out_waiting(const Profile& profile, std::vector<TimeSplit>& splits) {
    for_each_value(profile, MetricId::processors_waiting, splits, [](TimeSplit& split, double ns) {
        const double total = split.total();
        const double waiting = std::clamp(ns * 1e-9, 0.0, total);
        for (const TimePart& part : time_parts)
            split.*part.seconds *= total > 0 ? (total - waiting) / total : 1;
        split.waiting = waiting;
    });
}

}  // namespace

std::vector<TimeSplit> time_splits(const Profile& profile) {
    std::vector<TimeSplit> splits;
    // From outside, what is MPI or waiting is not known.
    if (is_from_outside(profile.run))
        return splits;
    if (profile.ranks.size() <= 1)
        splits.push_back(split_of_paths(profile));
    else
        splits = splits_of_ranks(profile);
    take_out_waiting(profile, splits);
    std::erase_if(splits, [](const TimeSplit& split) { return !(split.total() > 0); });
    return splits;
}

double total_seconds(const std::vector<TimeSplit>& splits) {
    double total = 0;
    for (const TimeSplit& split : splits)
        total += split.total();
    return total;
}

std::vector<TimeBar> time_bars(const Profile& profile, std::size_t most) {
    std::vector<TimeSplit> splits = time_splits(profile);
    std::vector<TimeBar> bars;
    if (splits.size() <= most) {
        for (const TimeSplit& split : splits)
            bars.push_back({profile.run.uses_mpi || splits.size() > 1
                                ? format("rank %u", split.rank)
                                : std::string("all threads"),
                            split});
        return bars;
    }
    std::stable_sort(splits.begin(), splits.end(),
                     [](const TimeSplit& a, const TimeSplit& b) { return a.code > b.code; });
    const auto add = [&](std::size_t place, const char* what) {
        bars.push_back({format("rank %u (%s)", splits[place].rank, what), splits[place]});
    };
    add(0, "most code");
    add(splits.size() / 2, "median");
    add(splits.size() - 1, "least code");
    return bars;
}

}  // namespace vftrace
