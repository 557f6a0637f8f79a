// How reliable a profile is.
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "config/json_file.hpp"
#include "findings/findings.hpp"
#include "findings/run_facts.hpp"

namespace vftrace {
namespace {

using Figures = std::vector<QualityFigure>;

// Larger is worse.
Grade grade_of(double value, double fair, double poor) {
    return value > poor ? Grade::poor : value > fair ? Grade::fair : Grade::good;
}

void add_run_time(const RunFacts& run, Figures& figures) {
    constexpr double long_s = 1, short_s = 0.1;
    const Grade grade = run.elapsed_s >= long_s    ? Grade::good
                        : run.elapsed_s >= short_s ? Grade::fair
                                                   : Grade::poor;
    figures.push_back({"run-time", "Run time", seconds_text(run.elapsed_s), grade,
                       grade == Grade::good ? "The run is long enough for meaningful figures."
                       : grade == Grade::fair
                           ? "The run is short: figures may vary noticeably from run to run."
                           : "The run is so short that its figures are largely random."});
}

// In per cent of the run time: the option overhead.budget, or its default if that is 0.
double overhead_budget(const RunInfo& run) {
    constexpr double usual = 10;
    std::size_t error_position = 0;
    const JsonTree config = parse_json(run.config_text, &error_position);
    const cJSON* section = cJSON_GetObjectItemCaseSensitive(config.get(), "overhead");
    const cJSON* budget = cJSON_GetObjectItemCaseSensitive(section, "budget");
    return cJSON_IsNumber(budget) && budget->valuedouble > 0 ? budget->valuedouble : usual;
}

void add_overhead(const RunFacts& run, Figures& figures) {
    const std::int64_t all = run.profile.run.runtime_ns - run.profile.run.paused_ns;
    if (all <= 0)
        return;
    const double percent =
        100 * static_cast<double>(run.profile.delay_ns()) / static_cast<double>(all);
    const double budget = overhead_budget(run.profile.run);
    const Grade grade = grade_of(percent, budget, 3 * budget);
    figures.push_back(
        {"overhead", "Overhead", format("%.1f %%", percent), grade,
         grade == Grade::good
             ? format("Measuring cost less than the budget of %.0f %%.", budget)
             : format("Measuring cost more than the budget of %.0f %%: ratios of functions may be "
                      "off. Sampling (vftrace run --sample) costs less.",
                      budget)});
}

void add_samples(const RunFacts& run, Figures& figures) {
    if (run.profile.run.sample_period_ns <= 0)
        return;
    double samples = 0, by_samples_ns = 0, all_ns = 0;
    for (const Path& path : run.profile.paths) {
        samples += static_cast<double>(path.samples);
        const auto own_ns = static_cast<double>(path.exclusive_ns);
        by_samples_ns += path.samples > 0 ? own_ns : 0;
        all_ns += own_ns;
    }
    constexpr double hardly_any = 0.05;
    const bool by_clock =
        all_ns > 0 && by_samples_ns < hardly_any * all_ns &&
        std::any_of(run.profile.functions.begin(), run.profile.functions.end(),
                    [](const Function& function) { return function.kind == NodeKind::region; });
    const Grade grade = samples >= 1000 || by_clock ? Grade::good
                        : samples >= 100            ? Grade::fair
                                                    : Grade::poor;
    figures.push_back(
        {"samples", "Samples", count_text(samples), grade,
         by_clock ? "Nearly all of the time is in regions and calls, which the clock measures."
         : grade == Grade::good
             ? "There are enough samples for shares of one per cent."
             : "There are few samples: shares of a few per cent are not reliable. Run longer, or "
               "raise stack_sampling.frequency."});
}

void add_estimates(const RunFacts& run, Figures& figures) {
    constexpr std::uint32_t estimated =
        path_thinned | path_calls_estimated | path_calls_until_removal;
    double seconds = 0;
    for (const Path& path : run.profile.paths)
        if ((path.flags & estimated && !(path.flags & path_combined)) ||
            (is_mostly_overhead(path) && path.exclusive_ns > 0) ||
            path.exclusive_error_ns > path.exclusive_ns / 5)
            seconds += static_cast<double>(path.exclusive_ns) / 1e9;
    for (const FilteredFunction& filtered : run.profile.filtered)
        if (filtered.reason != FilterReason::sampled)
            seconds += static_cast<double>(filtered.exclusive_ns) / 1e9;
    if (!(run.exclusive_s > 0))
        return;
    const double share = seconds / run.exclusive_s;
    const Grade grade = grade_of(share, 0.1, 0.5);
    figures.push_back(
        {"estimates", "Estimated times", percent_text(share), grade,
         grade == Grade::good
             ? "Almost all of the time was measured."
             : "This share of the time is in rows whose times are estimates: only some of the "
               "calls were timed, hooks were removed, or the cost that is subtracted is "
               "uncertain."});
}

// "module+0x12f0" and addresses are the names of functions without a symbol.
bool has_no_name(const Function& function) {
    return function.kind == NodeKind::function && function.symbol.empty() &&
           function.name.find("+0x") != std::string::npos;
}

void add_names(const RunFacts& run, Figures& figures) {
    double seconds = 0;
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++)
        if (has_no_name(run.profile.functions[run.profile.paths[i].function]))
            seconds += run.exclusive_seconds(i);
    if (!(run.exclusive_s > 0))
        return;
    const double share = seconds / run.exclusive_s;
    const Grade grade = grade_of(share, 0.05, 0.3);
    figures.push_back(
        {"names", "Functions without names", percent_text(share), grade,
         grade == Grade::good
             ? "Almost all of the time is in functions with names."
             : "Much of the time is in functions without symbols: compile with -g, do "
               "not strip, or install packages with debug symbols."});
}

void add_ranks(const RunFacts& run, Figures& figures) {
    if (!run.profile.run.uses_mpi || run.profile.run.ranks < 2)
        return;
    const std::size_t here = std::max<std::size_t>(run.profile.ranks.size(), 1);
    const bool all = here >= run.profile.run.ranks;
    figures.push_back({"ranks", "Ranks", format("%zu of %u", here, run.profile.run.ranks),
                       all ? Grade::good : Grade::poor,
                       all ? "All ranks are in the profile."
                           : "Ranks are missing: differences between ranks are not known."});
}

// Notices about missing data.
constexpr NoticeCode losses[] = {
    NoticeCode::no_memory_for_profile, NoticeCode::tree_file_full,
    NoticeCode::tree_file_damaged,     NoticeCode::trace_buffer_full,
    NoticeCode::gpu_work_dropped,      NoticeCode::calls_dropped,
    NoticeCode::samples_lost,          NoticeCode::trace_cut_short,
    NoticeCode::trace_events_missing,  NoticeCode::outside_samples_lost,
    NoticeCode::threads_not_sampled};
constexpr NoticeCode clocks[] = {NoticeCode::clock_rate_unknown, NoticeCode::hook_cost_changed};

std::size_t count_notices(const RunInfo& run, const auto& codes) {
    return static_cast<std::size_t>(
        std::count_if(run.notices.begin(), run.notices.end(), [&](const Notice& notice) {
            return std::find(std::begin(codes), std::end(codes), notice.code) != std::end(codes);
        }));
}

void add_losses(const RunFacts& run, Figures& figures) {
    const std::size_t count = count_notices(run.profile.run, losses);
    figures.push_back({"losses", "Losses",
                       count == 0 ? "none" : format("%zu warning%s", count, plural_s(count)),
                       count == 0 ? Grade::good : Grade::fair,
                       count == 0 ? "Nothing was lost."
                                  : "Some data are missing: the warnings in the log say which."});
}

void add_clock(const RunFacts& run, Figures& figures) {
    const std::size_t count = count_notices(run.profile.run, clocks);
    figures.push_back(
        {"clock", "Clock", count == 0 ? "steady" : format("%zu warning%s", count, plural_s(count)),
         count == 0 ? Grade::good : Grade::fair,
         count == 0
             ? "The clock and the cost of the hooks did not change."
             : "The clock, or the cost of the hooks, changed: the warnings in the log say how."});
}

// For ranks on several hosts, if traces were analysed.
void add_rank_clocks(const RunFacts& run, Figures& figures) {
    const std::int64_t shortest_ns = run.profile.run.shortest_wait_ns;
    if (shortest_ns < 0)
        return;
    const auto ns = static_cast<double>(shortest_ns);
    const std::string shortest = ns < 1e5 ? format("%.1f us", ns / 1e3) : seconds_text(ns / 1e9);
    const Grade grade = grade_of(ns, 1e5, 1e8);
    figures.push_back(
        {"rank-clocks", "Clocks of the ranks", "within " + shortest, grade,
         grade == Grade::good
             ? "The clocks of the ranks were compared: waits between ranks are reliable."
             : format("Waits of less than %s for another rank are not counted, because the clocks "
                      "of the ranks may differ by this much: set sampling.clocks_at_begin=true.",
                      shortest.c_str())});
}

void add_unsampled(const RunFacts& run, Figures& figures) {
    const RunInfo& info = run.profile.run;
    if (info.processor_ns <= 0 || info.unsampled_ns < 0)
        return;
    const double share =
        static_cast<double>(info.unsampled_ns) / static_cast<double>(info.processor_ns);
    const Grade grade = grade_of(share, 0.2, 0.5);
    figures.push_back(
        {"in-no-row", "Processor time not in any row", percent_text(share), grade,
         grade == Grade::good
             ? "Samples cover almost all of the processor time."
             : "Much of the processor time is not in any row; it may be time in the kernel."});
}

// How other programs on the machine, or too many threads of this one, affect times.
void add_waiting(const RunFacts& run, Figures& figures) {
    constexpr double enough_s = 0.1;
    const double share = run.resources.waiting_share();
    if (!(run.resources.processor_s() >= enough_s) || !(share >= 0))
        return;
    const Grade grade = grade_of(share, 0.1, 0.5);
    figures.push_back(
        {"waiting", "Waiting for processors", percent_text(share), grade,
         grade == Grade::good
             ? "Threads that could run had processors."
             : "Threads had to wait for processors, because of other programs or too many threads. "
               "Times include this waiting."});
}

void add_migrations(const RunFacts& run, Figures& figures) {
    constexpr double enough_s = 0.1, many_per_second = 100;
    const double per_second = run.resources.migrations / run.resources.processor_s();
    if (!(run.resources.processor_s() >= enough_s) || !(per_second >= 0))
        return;
    const bool few = per_second <= many_per_second;
    figures.push_back({"migrations", "Migrations", format("%.1f per second", per_second),
                       few ? Grade::good : Grade::fair,
                       few ? "Threads stayed on their processors."
                           : "Threads were often moved between processors, and lost what was in "
                             "their caches: bind them (OMP_PROC_BIND, --bind-to of mpirun)."});
}

// The kernel counts this time in ticks of a few milliseconds.
void add_stolen(const RunFacts& run, Figures& figures) {
    constexpr double enough_s = 0.5;
    const ResourceFigures& host = run.resources;
    const double share = host.stolen_share();
    if (!(host.host_s - host.host_idle_s >= enough_s) || !(share >= 0))
        return;
    const Grade grade = grade_of(share, 0.02, 0.2);
    figures.push_back(
        {"stolen", "Stolen processor time", percent_text(share), grade,
         grade == Grade::good
             ? "No other virtual machine took processor time."
             : "The host is a virtual machine, and its processors were given to others for part of "
               "the time. Times include this."});
}

void add_end(const RunFacts& run, Figures& figures) {
    const RunInfo& info = run.profile.run;
    const bool whole = info.ended.empty() && !info.snapshot;
    figures.push_back({"end", "End of the run",
                       info.snapshot ? "still running"
                       : whole       ? "normal"
                                     : info.ended,
                       whole ? Grade::good : Grade::fair,
                       whole           ? "The profile covers the whole run."
                       : info.snapshot ? "The profile covers the run so far."
                                       : "The profile ends where the program was terminated."});
}

}  // namespace

std::string_view word_of(Grade grade) {
    constexpr std::string_view words[] = {"good", "fair", "poor"};
    return words[static_cast<std::size_t>(grade)];
}

std::vector<QualityFigure> quality(const Profile& profile) {
    const RunFacts run(profile);
    Figures figures;
    for (const auto add : {add_run_time, add_overhead, add_samples, add_estimates, add_names,
                           add_unsampled, add_waiting, add_migrations, add_stolen, add_ranks,
                           add_losses, add_clock, add_rank_clocks, add_end})
        add(run, figures);
    return figures;
}

}  // namespace vftrace
