#include "ab/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/median.hpp"

namespace vftrace {
namespace {

// Above this, waiting for processors or stolen time make wall times unreliable.
constexpr double busy_share = 0.02;
// How many of the functions that are said to have changed may be there by chance.
constexpr double false_share = 0.05;

// NaN: none of them is known.
double median_of_known(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    return values.empty() ? PairedRatio::unknown : median(std::move(values));
}

template <class Figure>
std::vector<double> values_of(const std::vector<Trial>& trials, Figure figure) {
    std::vector<double> values;
    values.reserve(trials.size());
    for (const Trial& trial : trials)
        values.push_back(figure(trial));
    return values;
}

template <class Figure>
ComparedFigure compared(const Trials& trials, double confidence, Figure figure) {
    const std::vector<double> first = values_of(trials.first, figure);
    const std::vector<double> second = values_of(trials.second, figure);
    return {median_of_known(first), median_of_known(second),
            paired_ratio(first, second, confidence)};
}

template <class Figure>
double median_of_all(const Trials& trials, Figure figure) {
    std::vector<double> all = values_of(trials.first, figure);
    const std::vector<double> second = values_of(trials.second, figure);
    all.insert(all.end(), second.begin(), second.end());
    return median_of_known(std::move(all));
}

const TrialFunction* function_in(const Trial& trial, const std::string& name) {
    const auto found = trial.functions.find(name);
    return found == trial.functions.end() ? nullptr : &found->second;
}

// Nothing if it is not the same in all runs, or not known.
std::optional<std::uint64_t> calls_in(const std::vector<Trial>& trials, const std::string& name) {
    std::optional<std::uint64_t> calls;
    for (const Trial& trial : trials) {
        const TrialFunction* const function = function_in(trial, name);
        const std::uint64_t here = function ? function->calls : 0;
        if ((function && !function->exact_calls) || (calls && *calls != here))
            return {};
        calls = here;
    }
    return calls;
}

bool is_in(const std::vector<Trial>& trials, const std::string& name) {
    return std::any_of(trials.begin(), trials.end(),
                       [&](const Trial& trial) { return function_in(trial, name); });
}

ComparedFunction compared_function(const Trials& trials, double confidence,
                                   const std::string& name) {
    ComparedFunction result;
    result.name = name;
    result.own_seconds = compared(trials, confidence, [&](const Trial& trial) {
        const TrialFunction* const function = function_in(trial, name);
        return function ? function->own_seconds : 0.0;
    });
    result.in_first = is_in(trials.first, name);
    result.in_second = is_in(trials.second, name);
    // Where a program has no such function, it may only be that no sample was taken in it.
    if (result.in_first && result.in_second) {
        result.first_calls = calls_in(trials.first, name);
        result.second_calls = calls_in(trials.second, name);
    }
    return result;
}

void mark_changed_times(std::vector<ComparedFunction>& functions, double threshold) {
    std::vector<double> chances;
    chances.reserve(functions.size());
    for (const ComparedFunction& function : functions)
        chances.push_back(function.own_seconds.ratio.chance);
    const std::vector<bool> small = small_chances(chances, false_share);
    for (std::size_t i = 0; i < functions.size(); i++) {
        const PairedRatio& ratio = functions[i].own_seconds.ratio;
        functions[i].time_changed =
            small[i] && ratio.has_interval() &&
            (ratio.ratio >= 1 + threshold || ratio.ratio <= 1 / (1 + threshold));
    }
}

double all_seconds(const Trial& trial) {
    double sum = 0;
    for (const auto& [name, function] : trial.functions)
        sum += function.own_seconds;
    return sum;
}

void compare_functions(const Trials& trials, TrialComparison& result) {
    std::set<std::string> names, without_hooks;
    for (const std::vector<Trial>* const side : {&trials.first, &trials.second})
        for (const Trial& trial : *side) {
            for (const auto& [name, function] : trial.functions)
                names.insert(name);
            without_hooks.insert(trial.without_hooks.begin(), trial.without_hooks.end());
        }
    result.without_hooks.assign(without_hooks.begin(), without_hooks.end());
    const ComparedFigure all = compared(trials, result.confidence, all_seconds);
    for (const std::string& name : names) {
        if (without_hooks.count(name))
            continue;
        ComparedFunction function = compared_function(trials, result.confidence, name);
        const ComparedFigure& own = function.own_seconds;
        if (function.first_calls && function.first_calls == function.second_calls &&
            *function.first_calls > 0)
            result.same_calls++;
        if (function.calls_changed() || own.first >= ComparedFunction::least_share * all.first ||
            own.second >= ComparedFunction::least_share * all.second)
            result.functions.push_back(std::move(function));
    }
    mark_changed_times(result.functions, result.threshold);
    std::stable_sort(result.functions.begin(), result.functions.end(),
                     [](const ComparedFunction& a, const ComparedFunction& b) {
                         return std::abs(a.more_seconds()) > std::abs(b.more_seconds());
                     });
}

}  // namespace

std::string_view word_of(Verdict verdict) {
    constexpr std::string_view words[] = {"slower", "faster", "same", "unknown"};
    return words[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(const PairedRatio& ratio, double threshold) {
    const double most = 1 + threshold, least = 1 / most;
    if (!ratio.has_interval())
        return Verdict::unknown;
    if (ratio.is_larger() && ratio.ratio >= most)
        return Verdict::slower;
    if (ratio.is_smaller() && ratio.ratio <= least)
        return Verdict::faster;
    return ratio.low > least && ratio.high < most ? Verdict::same : Verdict::unknown;
}

TrialComparison compare_trials(const Trials& trials, double threshold, double confidence) {
    TrialComparison result;
    result.threshold = threshold;
    result.confidence = confidence;
    const auto has_profile = [](const Trial& trial) { return trial.program.has_value(); };
    result.from_profiles = std::all_of(trials.first.begin(), trials.first.end(), has_profile) &&
                           std::all_of(trials.second.begin(), trials.second.end(), has_profile);
    const auto times_of = [&](const Trial& trial) -> const CommandTimes& {
        return result.from_profiles ? *trial.program : trial.command;
    };
    result.wall = compared(trials, confidence,
                           [&](const Trial& trial) { return times_of(trial).wall_seconds; });
    result.processor = compared(
        trials, confidence, [&](const Trial& trial) { return times_of(trial).processor_seconds; });
    result.waiting_share =
        median_of_all(trials, [](const Trial& trial) { return trial.waiting_share; });
    result.stolen_share =
        median_of_all(trials, [](const Trial& trial) { return trial.stolen_share; });
    result.busy = (result.waiting_share > busy_share || result.stolen_share > busy_share) &&
                  result.processor.first > 0 && result.processor.second > 0;
    result.verdict = verdict_of(result.judged().ratio, threshold);
    compare_functions(trials, result);
    return result;
}

TrialComparison compare_repeated_trials(const Trials& first_half, const Trials& second_half,
                                        double threshold) {
    constexpr double confidence = 0.99;
    Trials all = first_half;
    all.first.insert(all.first.end(), second_half.first.begin(), second_half.first.end());
    all.second.insert(all.second.end(), second_half.second.begin(), second_half.second.end());
    TrialComparison result = compare_trials(all, threshold, confidence);
    const auto ratio_in = [&](const Trials& half) {
        const TrialComparison comparison = compare_trials(half, threshold);
        return (result.busy ? comparison.processor : comparison.wall).ratio.ratio;
    };
    const bool agree = (ratio_in(first_half) > 1) == (ratio_in(second_half) > 1);
    if (!agree && result.verdict != Verdict::same)
        result.verdict = Verdict::unknown;
    return result;
}

}  // namespace vftrace
