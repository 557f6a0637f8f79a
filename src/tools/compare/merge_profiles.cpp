#include "compare/merge_profiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "collate/formula_metrics.hpp"
#include "collate/merge_details.hpp"
#include "collate/profile_merger.hpp"
#include "collate/profile_message.hpp"
#include "collate/rank_values.hpp"
#include "collate/stids.hpp"
#include "collate/unite.hpp"
#include "compare/mean_of_runs.hpp"
#include "config/config.hpp"
#include "config/json_reader.hpp"
#include "profile/display_names.hpp"
#include "profile/fields.hpp"
#include "profile/metric_rows.hpp"
#include "profile/row_keys.hpp"
#include "readers/rank_endings.hpp"

namespace vftrace {
namespace {

constexpr double most_delay_ns = 600e9;  // of the start of one rank

void check_same_application(const Profile& a, const Profile& b, const std::string& name_a,
                            const std::string& name_b) {
    if (a.run.application != b.run.application)
        throw MergeError(fmt::format("{} is from the program \"{}\", {} from \"{}\"", name_a,
                                     a.run.application, name_b, b.run.application));
}

void check_same_run(const Profile& a, const Profile& b, const std::string& name_a,
                    const std::string& name_b) {
    check_same_application(a, b, name_a, name_b);
    if (a.run.ranks != b.run.ranks)
        throw MergeError(fmt::format("{} is from a run with {} ranks, {} from one with {}", name_a,
                                     a.run.ranks, name_b, b.run.ranks));
    if (std::abs(static_cast<double>(a.run.start_unix_ns) -
                 static_cast<double>(b.run.start_unix_ns)) > most_delay_ns)
        throw MergeError(fmt::format("{} and {} started more than 10 minutes apart: they are "
                                     "from different runs (see --runs)",
                                     name_a, name_b));
}

Options options_of(const RunInfo& run) {
    Options options;
    Findings findings;  // reported by the program
    read_options_from_text(run.config_text, options, findings);
    return options;
}

// Adds all of them up, the lowest rank first. `paths_of`: by profile and path, which path it has
// become.
Profile added_up(const std::vector<const Profile*>& profiles, std::uint32_t ranks,
                 std::vector<std::vector<std::uint32_t>>& paths_of) {
    ProfileMerger merger;
    for (const Profile* profile : profiles) {
        const std::uint32_t rank = profile->run.rank;
        if (!merger
                 .add(encode_profile(*profile, details_of(*profile), rank, false),
                      paths_of.emplace_back())
                 .ok)
            throw MergeError("the profiles are inconsistent and cannot be added up");
    }
    const std::vector<std::uint32_t> folded = merger.fold_filtered();
    for (std::vector<std::uint32_t>& paths : paths_of)
        for (std::uint32_t& path : paths)
            path = folded[path];
    Profile sum = merger.finish(profiles.front()->run, ranks);
    set_stids(sum);
    const Options options = options_of(sum.run);
    set_display_names(sum.functions, options.demangle_cxx, options.strip_module_names);
    return sum;
}

void unite_rank_metrics(Profile& sum) {
    const std::vector<RankMetric> all = std::move(sum.rank_metrics);
    sum.rank_metrics.clear();
    for (std::size_t i = 0; i < all.size();) {
        const RankMetric& first = all[i];
        const Reduction reduction = sum.metrics[first.metric].reduction;
        MetricMean of_runs;
        for (; i < all.size() && all[i].rank == first.rank && all[i].metric == first.metric; i++)
            of_runs.add(all[i].value, 1, reduction);
        sum.rank_metrics.push_back({first.rank, first.metric, of_runs.result(reduction)});
    }
}

// A value of a host, and its metric: those of another profile have other indices.
struct HostValue {
    Metric metric;
    HostMetric value;
};

// Removes the values of hosts from the profiles: ranks of one run read the same values, but
// different runs do not.
std::vector<HostValue> host_values_of_runs(std::vector<Profile>& profiles) {
    std::vector<HostValue> values;
    for (Profile& profile : profiles) {
        for (HostMetric& value : profile.host_metrics)
            values.push_back({profile.metrics[value.metric], std::move(value)});
        profile.host_metrics.clear();
    }
    return values;
}

void add_host_values(Profile& sum, const std::vector<HostValue>& values) {
    for (const HostValue& each : values) {
        const auto known =
            std::find_if(sum.metrics.begin(), sum.metrics.end(), [&](const Metric& other) {
                return other.name == each.metric.name && other.scope == each.metric.scope;
            });
        if (known == sum.metrics.end())
            continue;
        sum.host_metrics.push_back(each.value);
        sum.host_metrics.back().metric = static_cast<std::uint32_t>(known - sum.metrics.begin());
    }
    sort_rows(sum.host_metrics);
    unite(sum.host_metrics, same_key<HostMetric>, [&](HostMetric& to, const HostMetric& from) {
        to.value = together(to.value, from.value, sum.metrics[to.metric].reduction);
    });
}

// Unites the lists with one row per rank: for several runs they have one from each.
void unite_rows_of_runs(Profile& sum) {
    unite_rank_metrics(sum);
    sum.series.clear();  // their times are from one run each
    for_each_list([&](const auto& list) {
        using Row = typename std::remove_cvref_t<decltype(list)>::Row;
        if constexpr (has_key_of_role<Row, RankOfRun>())
            unite(sum.*list.rows, same_key<Row>,
                  [&](Row& to, const Row& from) { add_row(to, from, sum.metrics, Several::runs); });
    });
    // As with `spread`, it is not known for the sum of runs.
    for (PathGpuWork& work : sum.gpu_work)
        work.by_rank = {};
}

// Removes the notices from the profiles; returns those that say the same as one notice.
std::vector<Notice> notices_of_runs(std::vector<Profile>& profiles) {
    struct Found {
        Notice notice;
        std::size_t runs;
    };
    std::vector<Found> found;
    for (Profile& profile : profiles) {
        for (Notice& notice : profile.run.notices) {
            auto same = std::find_if(found.begin(), found.end(), [&](const Found& known) {
                return say_the_same(known.notice, notice) && known.notice.ranks == notice.ranks &&
                       known.notice.first_rank == notice.first_rank;
            });
            if (same == found.end())
                found.push_back({std::move(notice), 1});
            else {
                add_numbers(same->notice, notice);
                same->runs++;
            }
        }
        profile.run.notices.clear();
    }
    std::vector<Notice> notices;
    for (Found& each : found) {
        // A notice that names its runs is from a profile that was merged before.
        if (each.runs < profiles.size() && each.notice.of_runs == 0) {
            each.notice.runs = each.runs;
            each.notice.of_runs = profiles.size();
        }
        add_notice(notices, std::move(each.notice));
    }
    return notices;
}

// Keeps those that have the same value in all runs; the others are named in a notice.
void unite_parameters(const std::vector<const Profile*>& runs, RunInfo& sum) {
    std::vector<Notice>& notices = sum.notices;
    std::vector<std::string> left_out;
    for (const Notice& notice : notices)
        if (notice.code == NoticeCode::parameter_differs_in_runs)
            left_out.push_back(notice.arguments.front().text);
    std::erase_if(notices, [](const Notice& notice) {
        return notice.code == NoticeCode::parameter_differs_in_runs;
    });
    for (const Profile* run : runs)
        for (std::string& name :
             different_parameters(runs.front()->run.parameters, run->run.parameters))
            left_out.push_back(std::move(name));
    std::sort(left_out.begin(), left_out.end());
    left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
    sum.parameters = runs.front()->run.parameters;
    std::erase_if(sum.parameters, [&](const RunParameter& parameter) {
        return std::binary_search(left_out.begin(), left_out.end(), parameter.name);
    });
    for (std::string& name : left_out)
        add_notice(notices, {NoticeCode::parameter_differs_in_runs, {std::move(name)}});
}

}  // namespace

Profile merge_ranks(std::vector<Profile> profiles, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> all_ranks;
    std::vector<std::size_t> order(profiles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(profiles[a].run.rank, a) < std::tie(profiles[b].run.rank, b);
    });
    std::vector<const Profile*> sorted;
    for (std::size_t i : order) {
        Profile& profile = profiles[i];
        if (!profile.run.uses_mpi)
            throw MergeError(fmt::format("{} is not from a rank of an MPI program (--runs merges "
                                         "several runs)",
                                         names[i]));
        check_same_run(profiles[order[0]], profile, names[order[0]], names[i]);
        for (std::uint32_t rank : ranks_of(profile)) {
            if (std::find(all_ranks.begin(), all_ranks.end(), rank) != all_ranks.end())
                throw MergeError(fmt::format("{}: duplicate profile of rank {} (--runs merges "
                                             "several runs)",
                                             names[i], rank));
            all_ranks.push_back(rank);
        }
        keep_what_is_true_of_all(profile.run.notices);
        sorted.push_back(&profile);
    }
    std::sort(all_ranks.begin(), all_ranks.end());
    std::vector<std::vector<std::uint32_t>> paths_of;
    Profile job = added_up(sorted, static_cast<std::uint32_t>(all_ranks.size()), paths_of);
    const RunInfo& lowest = sorted.front()->run;
    job.run.ranks = lowest.ranks;
    std::vector<ProfileOfRank> ranks;
    for (std::size_t i = 0; i < sorted.size(); i++)
        ranks.push_back({*sorted[i], paths_of[i]});
    add_rank_values(job, ranks,
                    static_cast<std::uint32_t>(options_of(job.run).json_values_by_rank));
    job.run.ended = how_they_ended(sorted, "");
    job.run.snapshot =
        std::any_of(sorted.begin(), sorted.end(), [](const Profile* p) { return p->run.snapshot; });
    note_missing_ranks(job.run, all_ranks, NoticeCode::ranks_without_profile);
    return job;
}

Profile merge_runs(std::vector<Profile> profiles, const std::vector<std::string>& names,
                   RunReduction reduction) {
    std::vector<const Profile*> runs;
    for (std::size_t i = 0; i < profiles.size(); i++) {
        const Profile& first = profiles.front();
        check_same_application(first, profiles[i], names[0], names[i]);
        if (ranks_of(profiles[i]) != ranks_of(first) || profiles[i].run.ranks != first.run.ranks)
            throw MergeError(fmt::format("{} has {} of {} ranks, {} has {} of {}", names[0],
                                         first.summed_ranks(), first.run.ranks, names[i],
                                         profiles[i].summed_ranks(), profiles[i].run.ranks));
        // All runs have the same rank 0: how much each rank had in all of them is not known.
        profiles[i].spread.clear();
        runs.push_back(&profiles[i]);
    }
    std::vector<Notice> notices = notices_of_runs(profiles);
    const std::vector<HostValue> of_hosts = host_values_of_runs(profiles);
    std::vector<std::vector<std::uint32_t>> paths_of;
    Profile sum = added_up(runs, static_cast<std::uint32_t>(profiles.size()), paths_of);
    sum.spread.clear();
    sum.thread_paths.clear();
    unite_rows_of_runs(sum);
    add_host_values(sum, of_hosts);
    RunInfo& run = sum.run;
    run.ranks = runs.front()->run.ranks;
    run.ended.clear();
    for (std::size_t i = 1; i < runs.size(); i++) {
        add_saturating(run.runtime_ns, runs[i]->run.runtime_ns);
        add_saturating(run.paused_ns, runs[i]->run.paused_ns);
    }
    // The most that one of them needs, not what all of them together need.
    run.memory_bytes = 0;
    for (const Profile* one : runs) {
        run.memory_bytes = std::max(run.memory_bytes, one->run.memory_bytes);
        run.start_unix_ns = std::min(run.start_unix_ns, one->run.start_unix_ns);
        run.end_unix_ns = std::max(run.end_unix_ns, one->run.end_unix_ns);
        if (one->run.command_line != run.command_line)
            run.command_line = run.application + " ...";
    }
    run.notices = std::move(notices);
    unite_parameters(runs, run);
    if (reduction == RunReduction::mean)
        make_means(sum, runs.size());
    compute_formula_metrics(sum);
    add_notice(run.notices, {reduction == RunReduction::mean ? NoticeCode::mean_of_runs
                                                             : NoticeCode::sum_of_runs,
                             {runs.size()}});
    return sum;
}

}  // namespace vftrace
