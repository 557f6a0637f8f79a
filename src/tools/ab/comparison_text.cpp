#include "ab/comparison_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/shell_word.hpp"
#include "base/text.hpp"

namespace vftrace {
namespace {

std::string command_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + shell_word(word);
    return text;
}

double percent_of(double ratio) { return 100 * (ratio - 1); }

// "4.3 to 6.0 %"
std::string interval_text(const PairedRatio& ratio) {
    return fmt::format("{:+.1f} to {:+.1f} %", percent_of(ratio.low), percent_of(ratio.high));
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

void write_ratio(const PairedRatio& ratio, TableRow& cells) {
    for (const double value : {ratio.ratio, ratio.low, ratio.high})
        std::isfinite(value) ? cells.number(value) : cells.blank();
}

// "200 -> 300", "200", or "" if they are not known or differ from run to run.
std::string calls_text(const ComparedFunction& function) {
    if (function.calls_changed())
        return fmt::format("{} -> {}", *function.first_calls, *function.second_calls);
    const bool known = function.first_calls && function.first_calls == function.second_calls;
    return known && *function.first_calls > 0 ? std::to_string(*function.first_calls) : "";
}

std::string note_of(const ComparedFunction& function) {
    if (!function.in_first)
        return "new";
    if (!function.in_second)
        return "gone";
    const double ratio = function.own_seconds.ratio.ratio;
    const char* const time = !function.time_changed ? "" : ratio > 1 ? "slower" : "faster";
    return function.calls_changed() ? fmt::format("{}{}other calls", time, *time ? ", " : "")
                                    : time;
}

void write_times(const TrialComparison& comparison, TableOutput& out) {
    const Column columns[] = {
        text_column("time", "Time", Align::left),  time_column("first", "First[s]", 4),
        time_column("second", "Second[s]", 4),     number_column("ratio", "Ratio", "", 3),
        number_column("ratio_low", "from", "", 3), number_column("ratio_high", "to", "", 3),
        text_column("note", "Note", Align::left)};
    const TableSpec spec = {
        .id = "times", .title = "", .row = "time", .columns = columns, .style = TableStyle::list};
    out.table(spec, 2, [&](std::size_t i, TableRow& cells) {
        const ComparedFigure& figure = i == 0 ? comparison.wall : comparison.processor;
        cells.text(i == 0 ? "wall time" : "processor time");
        cells.number(figure.first);
        cells.number(figure.second);
        write_ratio(figure.ratio, cells);
        cells.text(&figure == &comparison.judged() ? "judged" : "");
    });
}

void write_functions(const TrialComparison& comparison, std::size_t most, TableOutput& out) {
    const std::vector<ComparedFunction>& functions = comparison.functions;
    if (functions.empty())
        return;
    const Column columns[] = {time_column("own_first", "First[s]", 4),
                              time_column("own_second", "Second[s]", 4),
                              time_column("own_more", "More[s]", 4),
                              number_column("ratio", "Ratio", "", 3),
                              number_column("ratio_low", "from", "", 3),
                              number_column("ratio_high", "to", "", 3),
                              text_column("calls", "Calls"),
                              text_column("note", "Note", Align::left),
                              text_column("function", "Function", Align::left)};
    const TableSpec spec = {.id = "functions",
                            .title = "Functions, by their own time",
                            .row = "function",
                            .columns = columns,
                            .style = TableStyle::list};
    const std::size_t shown = std::min(functions.size(), most);
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const ComparedFunction& function = functions[i];
        cells.number(function.own_seconds.first);
        cells.number(function.own_seconds.second);
        cells.number(function.more_seconds());
        write_ratio(function.own_seconds.ratio, cells);
        cells.text(calls_text(function));
        cells.text(note_of(function));
        cells.text(function.name);
    });
    if (shown < functions.size())
        out.write(fmt::format("({} more: --limit)\n", functions.size() - shown));
}

std::string machine_text(const TrialComparison& comparison) {
    if (std::isnan(comparison.waiting_share))
        return "How busy the machine was is not known.";
    std::string text = fmt::format("Threads waited for a processor in {} of their time",
                                   share_text(comparison.waiting_share));
    if (!std::isnan(comparison.stolen_share))
        text += fmt::format(", and other virtual machines took {}",
                            share_text(comparison.stolen_share));
    return text + (comparison.busy
                       ? ": the machine was busy, so processor time is judged instead of wall time."
                       : ".");
}

std::string work_text(const TrialComparison& comparison) {
    const auto changed = static_cast<std::size_t>(
        std::count_if(comparison.functions.begin(), comparison.functions.end(),
                      [](const ComparedFunction& function) { return function.calls_changed(); }));
    if (changed > 0)
        return fmt::format("The work changed: {} function{} called another number of times, in all "
                           "runs.",
                           changed, changed == 1 ? " is" : "s are");
    if (comparison.same_calls > 0)
        return fmt::format("The work is the same as far as it was counted: calls of {} function{}.",
                           comparison.same_calls, plural_s(comparison.same_calls));
    return "Whether the work is the same is not known: no calls were counted.";
}

std::string output_text(const TrialSeries& series) {
    return series.outputs_differ ? "The programs print different things."
           : series.outputs_vary ? "What the programs print differs from run to run."
                                 : "Both programs print the same.";
}

}  // namespace

std::string verdict_sentence(const TrialComparison& comparison) {
    const PairedRatio& ratio = comparison.judged().ratio;
    const std::string threshold = fmt::format("{:.3g} %", 100 * comparison.threshold);
    const char* const what = comparison.busy ? "processor time" : "wall time";
    const std::string interval = fmt::format("{}, with {:.0f} % confidence", interval_text(ratio),
                                             100 * comparison.confidence);
    if (comparison.verdict == Verdict::slower || comparison.verdict == Verdict::faster)
        return fmt::format("The second program is {} by {:.1f} % of {} ({}).",
                           word_of(comparison.verdict), std::abs(percent_of(ratio.ratio)), what,
                           interval);
    if (comparison.verdict == Verdict::same)
        return fmt::format("No difference of {} or more: {} differs by {}.", threshold, what,
                           interval);
    if (!ratio.has_interval())
        return fmt::format("Not known: an interval needs at least {} pairs of runs.", fewest_pairs);
    if (verdict_of(ratio, comparison.threshold) != Verdict::unknown)
        return fmt::format("Not known: {} differs by {}, but the two halves of the runs do not "
                           "agree which program is slower.",
                           what, interval);
    return fmt::format("Not known: {} differs by {}, too uncertain for a threshold of {}. More "
                       "runs (--runs) make it more certain.",
                       what, interval, threshold);
}

void write_comparison(const TrialComparison& comparison, const TrialSeries& series,
                      std::size_t most_functions, TableOutput& out) {
    out.write(fmt::format(
        "First:  {}\nSecond: {}\n{} pairs of runs, taking turns{}{}\n\n",
        command_text(series.first_command), command_text(series.second_command), series.pairs,
        series.repeated ? "; half of them because the other half did not decide it" : "",
        series.warm_up_runs > 0
            ? fmt::format("; before, {} of each that {} not counted", series.warm_up_runs,
                          series.warm_up_runs == 1 ? "was" : "were")
            : ""));
    write_times(comparison, out);
    out.write(comparison.from_profiles
                  ? "Medians; times are those of the programs without what measuring cost.\n"
                  : "Medians; times are those of the whole commands.\n");
    out.write(machine_text(comparison) + '\n');
    out.write(work_text(comparison) + '\n');
    if (series.outputs_compared)
        out.write(output_text(series) + '\n');
    out.write("\n");
    write_functions(comparison, most_functions, out);
    if (!comparison.without_hooks.empty())
        out.write(
            fmt::format("(left out: {} function{} lost {} hooks in some runs; {} time is part "
                        "of the callers')\n",
                        comparison.without_hooks.size(),
                        comparison.without_hooks.size() == 1 ? " that" : "s that",
                        comparison.without_hooks.size() == 1 ? "its" : "their",
                        comparison.without_hooks.size() == 1 ? "its" : "their"));
    out.write(fmt::format("\n{}\n", verdict_sentence(comparison)));
}

}  // namespace vftrace
