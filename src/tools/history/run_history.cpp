#include "history/run_history.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/median.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_named = 20;        // functions with other calls
constexpr std::size_t most_causes = 5;        // functions of a change
constexpr double large_share = 0.01;          // of a function whose time is looked at
constexpr double least_part_of_change = 0.1;  // that a function must have to be named

// The runs whose times count, as indices.
std::vector<std::size_t> judged_runs(const std::vector<StoredRun>& runs) {
    std::vector<std::size_t> judged;
    for (std::size_t i = 0; i < runs.size(); i++)
        if (!runs[i].was_disturbed() && runs[i].seconds > 0)
            judged.push_back(i);
    return judged;
}

// Figures of functions in the order of the runs.
class FiguresByRun {
  public:
    FiguresByRun(RunStore& store, const std::vector<StoredRun>& runs)
        : store_(store), runs_(runs.size()) {
        for (std::size_t i = 0; i < runs.size(); i++)
            index_[runs[i].id] = i;
    }
    // Nothing for runs that lack the function.
    std::vector<std::optional<StoredFigures>> of(const std::string& function) const {
        std::vector<std::optional<StoredFigures>> figures(runs_);
        for (const StoredFigures& row : store_.figures_of(function))
            if (const auto found = index_.find(row.run); found != index_.end())
                figures[found->second] = row;
        return figures;
    }

  private:
    RunStore& store_;
    std::size_t runs_;
    std::unordered_map<std::int64_t, std::size_t> index_;
};

std::vector<std::optional<std::uint64_t>>
calls_of(const std::vector<std::optional<StoredFigures>>& figures) {
    std::vector<std::optional<std::uint64_t>> calls;
    calls.reserve(figures.size());
    for (const std::optional<StoredFigures>& row : figures)
        calls.push_back(row ? row->calls : std::nullopt);
    return calls;
}

// Medians of a function's own time over the judged runs [begin, middle) and [middle, end).
FunctionChange change_of_function(const FiguresByRun& by_run,
                                  const std::vector<std::size_t>& judged, std::size_t begin,
                                  std::size_t middle, std::size_t end, const std::string& name) {
    const auto figures = by_run.of(name);
    const auto median_from = [&](std::size_t from, std::size_t to) {
        std::vector<double> values;
        for (std::size_t i = from; i < to; i++)
            values.push_back(figures[judged[i]] ? figures[judged[i]]->own_seconds : 0);
        return median(std::move(values));
    };
    return {name, median_from(begin, middle), median_from(middle, end)};
}

void add_causes(RunStore& store, const FiguresByRun& by_run, const RunHistory& history,
                const std::vector<std::size_t>& judged, std::size_t begin, std::size_t middle,
                std::size_t end, RunTimeChange& change) {
    const std::vector<std::string> names = store.large_functions(
        history.runs[judged[middle - 1]].id, history.runs[judged[middle]].id, large_share);
    for (const std::string& name : names) {
        FunctionChange of_function = change_of_function(by_run, judged, begin, middle, end, name);
        if (std::abs(of_function.after - of_function.before) >=
            least_part_of_change * std::abs(change.after - change.before))
            change.functions.push_back(std::move(of_function));
    }
    std::stable_sort(change.functions.begin(), change.functions.end(),
                     [](const FunctionChange& a, const FunctionChange& b) {
                         return std::abs(a.after - a.before) > std::abs(b.after - b.before);
                     });
    change.functions.resize(std::min(change.functions.size(), most_causes));
}

void add_time_changes(RunStore& store, const FiguresByRun& by_run, RunHistory& history) {
    const std::vector<std::size_t> judged = judged_runs(history.runs);
    history.disturbed = static_cast<std::size_t>(
        std::count_if(history.runs.begin(), history.runs.end(),
                      [](const StoredRun& run) { return run.was_disturbed(); }));
    std::vector<double> seconds;
    seconds.reserve(judged.size());
    for (const std::size_t run : judged)
        seconds.push_back(history.runs[run].seconds);
    const std::vector<ChangePoint> points = change_points(seconds);
    for (std::size_t i = 0; i < points.size(); i++) {
        const std::size_t begin = i > 0 ? points[i - 1].index : 0;
        const std::size_t end = points[i].index + points[i].seen;
        RunTimeChange change{history.runs[judged[points[i].index]],
                             points[i].before,
                             points[i].after,
                             points[i].seen,
                             {}};
        add_causes(store, by_run, history, judged, begin, points[i].index, end, change);
        history.times.push_back(std::move(change));
    }
}

void add_calls_changes(RunStore& store, const FiguresByRun& by_run, RunHistory& history) {
    for (const std::string& name : store.functions_with_other_calls(history.filter)) {
        const auto figures = by_run.of(name);
        const std::vector<ChangePoint> changes = exact_changes(calls_of(figures));
        history.calls_in_all += !changes.empty();
        if (history.calls_in_all > most_named)
            continue;
        for (const ChangePoint& change : changes)
            history.calls.push_back({history.runs[change.index], name,
                                     static_cast<std::uint64_t>(change.before),
                                     static_cast<std::uint64_t>(change.after), change.seen});
    }
    std::stable_sort(history.calls.begin(), history.calls.end(),
                     [](const CallsChange& a, const CallsChange& b) {
                         return a.run.start_unix_ns < b.run.start_unix_ns;
                     });
}

}  // namespace

RunHistory history_of(RunStore& store, const RunFilter& filter) {
    RunHistory history;
    history.filter = filter;
    history.runs = store.runs(filter);
    const FiguresByRun by_run(store, history.runs);
    constexpr ChangeRule rule;
    history.fewest_runs = rule.before + rule.after;
    add_time_changes(store, by_run, history);
    add_calls_changes(store, by_run, history);
    return history;
}

FunctionHistory history_of_function(RunStore& store, const RunHistory& history,
                                    const std::string& name) {
    FunctionHistory result;
    result.name = name;
    result.figures = FiguresByRun(store, history.runs).of(name);
    std::vector<std::size_t> judged;
    std::vector<double> seconds;
    for (const std::size_t run : judged_runs(history.runs))
        if (result.figures[run] && result.figures[run]->own_seconds > 0) {
            judged.push_back(run);
            seconds.push_back(result.figures[run]->own_seconds);
        }
    result.times = change_points(seconds);
    for (ChangePoint& change : result.times)
        change.index = judged[change.index];
    result.calls = exact_changes(calls_of(result.figures));
    return result;
}

}  // namespace vftrace
