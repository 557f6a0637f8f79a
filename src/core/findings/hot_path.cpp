// The function in which most of the time is spent.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/rules.hpp"
#include "profile/display_names.hpp"

namespace vftrace {
namespace {

constexpr double least_part = 0.3, least_seconds = 0.1;
constexpr double short_call_seconds = 200e-9;
constexpr double almost_all_recorded = 0.95;  // the rest is the end of ranks that end earlier
// The path waits if the process was runnable for a smaller part of the path's time than this.
constexpr double most_worked_of_a_wait = 0.5;

// The function, with its callers by their share of its time.
std::string where(const RunFacts& run, const std::vector<std::uint32_t>& paths, double seconds,
                  double all_s) {
    constexpr double almost_all = 0.95, worth_naming = 0.05;
    constexpr std::size_t most_named = 3;
    if (run.exclusive_seconds(paths.front()) >= almost_all * seconds)
        return run.place(paths.front());
    std::string text = run.function(paths.front());
    double rest = seconds;
    std::size_t named = 0;
    for (const std::uint32_t path : paths) {
        const double of_path = run.exclusive_seconds(path);
        const std::uint32_t caller = run.profile.paths[path].parent;
        if (named == most_named || of_path < worth_naming * seconds || caller == no_index)
            break;
        text += format("%s %s (%s)", named++ == 0 ? ", called by" : ",",
                       run.function(caller).c_str(), percent_text(of_path / all_s).c_str());
        rest -= of_path;
    }
    if (rest >= worth_naming * seconds)
        text += format(" and others (%s)", percent_text(rest / all_s).c_str());
    return text;
}

// A caller's own time includes that of functions without hooks whose time is not sampled.
std::string leaves_in_it(const RunFacts& run) {
    std::vector<const FilteredFunction*> leaves;
    for (const FilteredFunction& filtered : run.profile.filtered)
        if (filtered.reason != FilterReason::sampled && filtered.calls > 0)
            leaves.push_back(&filtered);
    if (leaves.empty())
        return {};
    const auto most = std::max_element(
        leaves.begin(), leaves.end(),
        [](const FilteredFunction* a, const FilteredFunction* b) { return a->calls < b->calls; });
    return format(" Small functions without hooks (%s%s) have their time in the rows of their "
                  "callers.",
                  printable(display_with_module(run.profile.functions[(*most)->function])).c_str(),
                  leaves.size() > 1 ? format(" and %zu more", leaves.size() - 1).c_str() : "");
}

}  // namespace

// A remark, because computing is not a fault.
void find_hot_path(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    std::vector<double> of_function(profile.functions.size(), 0.0);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (run.is_own_code(i))
            of_function[profile.paths[i].function] += run.exclusive_seconds(i);
    const auto most = std::max_element(of_function.begin(), of_function.end());
    // Without function hooks or samples, most of the program's own code is in no row.
    const double whole_s = run.elapsed_s * run.ranks;
    const double all_s =
        run.exclusive_s < almost_all_recorded * whole_s ? whole_s : run.exclusive_s;
    if (most == of_function.end() || run.exclusive_s < least_seconds * run.ranks ||
        *most < least_part * all_s)
        return;
    const double seconds = *most;
    const auto function = static_cast<std::uint32_t>(most - of_function.begin());
    std::vector<std::uint32_t> paths;
    double calls = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (profile.paths[i].function == function && run.is_own_code(i)) {
            paths.push_back(i);
            calls += static_cast<double>(profile.paths[i].calls);
        }
    std::stable_sort(paths.begin(), paths.end(), [&](std::uint32_t a, std::uint32_t b) {
        return run.exclusive_seconds(a) > run.exclusive_seconds(b);
    });
    RunFinding finding = run.finding(rule, 0);
    finding.path = paths.front();
    finding.share = seconds / all_s;
    finding.sentence = format("The largest part of the time, %s (%s), is spent in %s.",
                              percent_text(finding.share).c_str(), seconds_text(seconds).c_str(),
                              where(run, paths, seconds, all_s).c_str());
    finding.confidence = Confidence::certain;
    const ResourceFigures& figures = run.resources;
    const double runnable_s =
        figures.processor_s() + (figures.waiting_s > 0 ? figures.waiting_s : 0);
    if (runnable_s < seconds * most_worked_of_a_wait) {
        finding.reason =
            format("All threads together have worked for %s, so for most of that time it does not "
                   "compute: it sleeps or waits.",
                   seconds_text(figures.processor_s()).c_str());
        finding.next_step =
            format("Look for what it waits for: a pause, a lock, input, another process; \"vftrace "
                   "report %s FILE\" shows %s.",
                   run.waits.empty() ? "--process" : "--waiting",
                   run.waits.empty() ? "how often it blocks" : "where");
    } else if (calls > 0 && seconds / calls < short_call_seconds) {
        finding.reason = format("Its %s calls take %.0f ns each: the call costs about as much as "
                                "the work in it.",
                                count_text(calls).c_str(), 1e9 * seconds / calls);
        finding.next_step =
            "Let the compiler inline it (vftrace-cc lets gcc and clang do so), or process "
            "several elements per call.";
    } else {
        finding.reason = "No other function takes as much time.";
        finding.next_step =
            "Hardware counters (option hwprof.type) show whether it computes or waits for "
            "memory.";
    }
    finding.reason += leaves_in_it(run);
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
