#include "history/history_text.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/findings.hpp"

namespace vftrace {
namespace {

std::string seconds_for(double value) { return fmt::format("{:.4g} s", value); }

std::string percent_for(double before, double after) {
    return before > 0 ? fmt::format(" ({:+.1f} %)", 100 * (after / before - 1)) : "";
}

// "2026-11-29 18:05 commit 3f2a91c"
std::string name_of(const StoredRun& run) {
    return moment_text(run.start_unix_ns) +
           (run.commit.empty() ? "" : " commit " + printable(run.commit));
}

std::string of_runs(std::size_t runs) { return fmt::format("{} run{}", runs, plural_s(runs)); }

void write_head(const RunHistory& history, TableOutput& out) {
    const std::vector<StoredRun>& runs = history.runs;
    std::string text =
        fmt::format("{} of {}", of_runs(runs.size()), printable(history.filter.application));
    if (!history.filter.branch.empty())
        text += ", branch " + printable(history.filter.branch);
    if (!history.filter.host.empty())
        text += ", host " + printable(history.filter.host);
    if (!runs.empty())
        text += fmt::format(", {} to {} (UTC)", moment_text(runs.front().start_unix_ns),
                            moment_text(runs.back().start_unix_ns));
    out.write(text + '\n');
}

void write_plot(const char* what, const std::vector<double>& values, const HistoryLook& look,
                TableOutput& out) {
    if (values.empty())
        return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.write(fmt::format("\n{}: least {}, most {}, last {}\n  |{}|\n", what, seconds_for(*least),
                          seconds_for(*most), seconds_for(values.back()), plot_of(values, look)));
}

std::string_view grade_of(const StoredRun& run) { return word_of(static_cast<Grade>(run.quality)); }

const Column date_column = text_column("date", "Date (UTC)", Align::left);
const Column commit_column = text_column("commit", "Commit", Align::left);
const Column note_column = text_column("note", "Note", Align::left);

// A table of the latest runs; `fill` gets the index of the run.
void write_latest(const RunHistory& history, const HistoryLook& look, std::string_view id,
                  std::span<const Column> columns, FillRow fill, TableOutput& out) {
    const TableSpec spec = {.id = id,
                            .title = "\nLatest runs",
                            .row = "run",
                            .columns = columns,
                            .style = TableStyle::list};
    const std::size_t shown = std::min(history.runs.size(), look.most_runs);
    const std::size_t first = history.runs.size() - shown;
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        cells.text(moment_text(history.runs[first + i].start_unix_ns));
        cells.text(history.runs[first + i].commit);
        fill(first + i, cells);
    });
    if (first > 0)
        out.write(fmt::format("({} earlier: --limit)\n", first));
}

void write_runs(const RunHistory& history, const HistoryLook& look, TableOutput& out) {
    const Column columns[] = {date_column,
                              commit_column,
                              time_column("seconds", "Time[s]"),
                              time_column("processor_seconds", "Processor[s]"),
                              count_column("ranks", "Ranks"),
                              count_column("findings", "Findings"),
                              text_column("quality", "Quality"),
                              note_column};
    const auto fill = [&](std::size_t i, TableRow& cells) {
        const StoredRun& run = history.runs[i];
        cells.number(run.seconds);
        std::isfinite(run.processor_seconds) ? cells.number(run.processor_seconds) : cells.blank();
        cells.integer(run.ranks);
        cells.integer(run.findings);
        cells.text(grade_of(run));
        cells.text(run.was_disturbed() ? "busy machine, not judged" : "");
    };
    write_latest(history, look, "history", columns, fill, out);
}

void write_changes(const RunHistory& history, TableOutput& out) {
    const std::size_t judged = history.runs.size() - history.disturbed;
    out.write("\nThe work, by numbers of calls:");
    if (history.calls.empty())
        out.write(" no change was seen.\n");
    else
        out.write("\n");
    for (const CallsChange& change : history.calls)
        out.write(fmt::format("  {}: {}: {} -> {} calls, in {}\n", name_of(change.run),
                              printable(change.function), change.before, change.after,
                              of_runs(change.seen)));
    std::vector<std::string> named;
    for (const CallsChange& change : history.calls)
        named.push_back(change.function);
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
    if (history.calls_in_all > named.size())
        out.write(fmt::format("  ({} more functions)\n", history.calls_in_all - named.size()));
    out.write("The time of the run:");
    if (judged < history.fewest_runs)
        out.write(fmt::format(" not known: changes need {} runs on a machine that is not busy, and "
                              "there are {}.\n",
                              history.fewest_runs, judged));
    else if (history.times.empty())
        out.write(" no lasting change of 5 % or more was seen.\n");
    else
        out.write("\n");
    for (const RunTimeChange& change : history.times) {
        out.write(fmt::format("  {}: {} -> {}{}, in {}\n", name_of(change.run),
                              seconds_for(change.before), seconds_for(change.after),
                              percent_for(change.before, change.after), of_runs(change.seen)));
        for (const FunctionChange& function : change.functions)
            out.write(fmt::format("    {}: own time {} -> {}\n", printable(function.name),
                                  seconds_for(function.before), seconds_for(function.after)));
    }
    if (history.disturbed > 0)
        out.write(fmt::format("{} on a busy machine: shown, but not judged.\n",
                              of_runs(history.disturbed)));
}

}  // namespace

std::string moment_text(std::int64_t unix_ns) {
    constexpr std::int64_t second = 1'000'000'000;
    const auto seconds = static_cast<std::time_t>(unix_ns / second);
    std::tm parts{};
    char text[32];
    if (!gmtime_r(&seconds, &parts) ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) == 0)
        return "?";
    return text;
}

std::string plot_of(const std::vector<double>& values, const HistoryLook& look) {
    constexpr std::string_view blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                           "\u2585", "\u2586", "\u2587", "\u2588"};
    constexpr std::string_view plain[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    constexpr std::size_t levels = std::size(blocks);
    const std::size_t columns = std::min(values.size(), std::max<std::size_t>(look.columns, 1));
    std::vector<double> means;
    for (std::size_t i = 0; i < columns; i++) {
        const std::size_t from = i * values.size() / columns,
                          to = (i + 1) * values.size() / columns;
        means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                                        values.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                        static_cast<double>(to - from));
    }
    if (means.empty())
        return {};
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    const double width = *most - *least;
    std::string text;
    for (const double value : means) {
        const double part = width > 0 ? (value - *least) / width : 0;
        const std::size_t level =
            std::min(levels - 1, static_cast<std::size_t>(part * static_cast<double>(levels)));
        text += look.blocks ? blocks[level] : plain[level];
    }
    return text;
}

void write_history(const RunHistory& history, const HistoryLook& look, TableOutput& out) {
    write_head(history, out);
    std::vector<double> seconds;
    for (const StoredRun& run : history.runs)
        seconds.push_back(run.seconds);
    write_plot("Time", seconds, look, out);
    write_runs(history, look, out);
    write_changes(history, out);
}

void write_history(const RunHistory& history, const FunctionHistory& function,
                   const HistoryLook& look, TableOutput& out) {
    write_head(history, out);
    std::vector<double> seconds;
    for (const auto& figures : function.figures)
        if (figures)
            seconds.push_back(figures->own_seconds);
    write_plot(("Own time of " + printable(function.name)).c_str(), seconds, look, out);
    const Column columns[] = {date_column,
                              commit_column,
                              time_column("own_seconds", "Own[s]", 4),
                              percent_column("own_share", "of all[%]"),
                              time_column("total_seconds", "Total[s]", 4),
                              count_column("calls", "Calls"),
                              note_column};
    const auto note_of = [&](std::size_t i) -> std::string {
        for (const ChangePoint& change : function.calls)
            if (change.index == i)
                return fmt::format("calls {:.0f} -> {:.0f}", change.before, change.after);
        for (const ChangePoint& change : function.times)
            if (change.index == i)
                return fmt::format("{} -> {}{}", seconds_for(change.before),
                                   seconds_for(change.after),
                                   percent_for(change.before, change.after));
        return history.runs[i].was_disturbed() ? "busy machine, not judged" : "";
    };
    const auto fill = [&](std::size_t i, TableRow& cells) {
        const StoredRun& run = history.runs[i];
        const std::optional<StoredFigures>& figures = function.figures[i];
        if (!figures) {
            for (int column = 0; column < 4; column++)
                cells.blank();
        } else {
            cells.number(figures->own_seconds);
            run.seconds > 0 ? cells.number(100 * figures->own_seconds / (run.seconds * run.ranks))
                            : cells.blank();
            cells.number(figures->total_seconds);
            figures->calls ? cells.integer(*figures->calls) : cells.blank();
        }
        cells.text(note_of(i));
    };
    write_latest(history, look, "function_history", columns, fill, out);
    out.write(
        "Calls are blank where not all of them were counted. Share: of the time of all ranks.\n");
}

}  // namespace vftrace
