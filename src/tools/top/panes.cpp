#include "top/panes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "top/pane_rows.hpp"

namespace vftrace {
namespace {

constexpr auto text = CellFormat::text;
constexpr auto number = CellFormat::count;
constexpr auto rate = CellFormat::rate;
constexpr auto seconds = CellFormat::seconds;
constexpr auto percent = CellFormat::percent;
constexpr auto bytes = CellFormat::bytes;

constexpr PaneColumn function_columns[] = {
    {"share_excl", "excl%", percent, 6},           {"time_excl", "t_excl[s]", seconds, 9},
    {"time_incl", "t_incl[s]", seconds, 9},        {"calls", "calls", number, 8},
    {"calls_per_second", "calls/s", rate, 8},      {"kind", "kind", text, 8, false, true},
    {"function", "function", text, 0, true, true},
};
constexpr PaneColumn tree_columns[] = {
    {"share_incl", "incl%", percent, 6},        {"time_incl", "t_incl[s]", seconds, 9},
    {"time_excl", "t_excl[s]", seconds, 9},     {"calls", "calls", number, 8},
    {"path", "call path", text, 0, true, true},
};
constexpr PaneColumn thread_columns[] = {
    {"thread", "thr", number, 4, true, true},
    {"process", "rank/pid", text, 8, true, true},
    {"calls_per_second", "calls/s", rate, 8},
    {"code", "code%", percent, 5},
    {"mpi", "MPI%", percent, 5},
    {"openmp", "OMP%", percent, 5},
    {"gpu", "GPU%", percent, 5, false},
    {"name", "name", text, 11, true, true},
    {"since", "open for", seconds, 9},
    {"state", "state", text, 14, false, true},
    {"in", "in", text, 0, true, true},
};
constexpr PaneColumn rank_columns[] = {
    {"process", "rank/pid", text, 8, true, true},
    {"threads", "thr", number, 4},
    {"calls_per_second", "calls/s", rate, 8},
    {"code", "code%", percent, 5},
    {"mpi", "MPI%", percent, 5},
    {"openmp", "OMP%", percent, 5},
    {"gpu", "GPU%", percent, 5, false},
    {"overhead", "ovhd%", percent, 5},
    {"since", "open for", seconds, 9},
    {"in", "in", text, 0, true, true},
};
constexpr PaneColumn message_columns[] = {
    {"peer", "with rank", text, 12, true, true},
    {"sent_per_second", "sent/s", rate, 9},
    {"bytes_sent_per_second", "sent B/s", bytes, 9},
    {"received_per_second", "recv/s", rate, 9},
    {"bytes_received_per_second", "recv B/s", bytes, 9},
    {"sent", "sent", number, 9},
    {"received", "recv", number, 9},
};
constexpr PaneColumn gpu_columns[] = {
    {"process", "rank/pid", text, 8, true, true},
    {"device", "device", number, 6, true, true},
    {"kernels", "kernel%", percent, 7},
    {"copies", "copy%", percent, 6},
    {"overlap", "both%", percent, 6},
    {"kernel_time", "kernels[s]", seconds, 10},
    {"name", "name", text, 0, true, true},
};
constexpr PaneColumn section_columns[] = {
    {"level", "level", number, 5, true, true},
    {"share_incl", "incl%", percent, 6},
    {"time_incl", "t_incl[s]", seconds, 9},
    {"time_excl", "t_excl[s]", seconds, 9},
    {"calls", "calls", number, 8},
    {"since", "open for", seconds, 9},
    {"section", "section", text, 0, true, true},
    {"message", "message", text, 0, true, true},
};
constexpr PaneColumn task_columns[] = {
    {"created_per_second", "created/s", rate, 9},
    {"created", "created", number, 9},
    {"alive", "alive", number, 8},
    {"ended", "ended", number, 9},
    {"failed", "failed", number, 7},
    {"pauses", "pauses", number, 8},
    {"task", "task", text, 0, true, true},
};
constexpr PaneColumn memory_columns[] = {
    {"live", "live B", bytes, 9},
    {"grown", "+live B", bytes, 9},
    {"allocated_per_second", "alloc B/s", bytes, 9},
    {"calls_per_second", "allocs/s", rate, 8},
    {"allocated", "alloc B", bytes, 9},
    {"function", "function", text, 0, true, true},
};
constexpr PaneColumn open_columns[] = {
    {"since", "open for", seconds, 9},
    {"process", "rank/pid", text, 8, true, true},
    {"thread", "thread", number, 6, true, true},
    {"in", "in", text, 0, true, true},
};

constexpr PaneColumn rollcall_columns[] = {
    {"ranks", "ranks", number, 6},
    {"which", "which", text, 13, true, true},
    {"activity", "state", text, 9, true, true},
    {"calls_per_second", "calls/s", rate, 8},
    {"since", "open for", seconds, 9},
    {"longest", "longest", seconds, 9, false},
    {"in", "in", text, 0, true, true},
};

}  // namespace

const PaneKind pane_kinds[pane_count] = {
    {PaneId::functions, '1', "functions", "Functions", "Funcs", function_columns, 1,
     "Nothing was called."},
    {PaneId::tree, '2', "tree", "Tree", "Tree", tree_columns, 1, "Nothing was called."},
    {PaneId::threads, '3', "threads", "Threads", "Threads", thread_columns, 0,
     "No thread has recorded anything."},
    {PaneId::ranks, '4', "ranks", "Ranks", "Ranks", rank_columns, 0, "No process is watched."},
    {PaneId::messages, '5', "messages", "Messages", "Msgs", message_columns, 2,
     "No MPI messages were counted."},
    {PaneId::gpus, '6', "gpus", "GPUs", "GPUs", gpu_columns, 2, "No GPU has done anything."},
    {PaneId::sections, '7', "sections", "Sections", "Sect", section_columns, 2,
     "The program does not have sections (vftrace_section_begin)."},
    {PaneId::tasks, '8', "tasks", "Tasks", "Tasks", task_columns, 1,
     "The program does not have asynchronous tasks (vftrace_task_create)."},
    {PaneId::open, '9', "open", "Open", "Open", open_columns, 0, "No thread is in a call."},
    {PaneId::rollcall, '0', "rollcall", "Roll call", "Job", rollcall_columns, 0,
     "No process is watched."},
    {PaneId::memory, 'M', "memory", "Memory", "Mem", memory_columns, 0,
     "Allocations are not recorded (vftrace run --memory)."},
};

ViewState::ViewState() {
    for (std::size_t pane = 0; pane < pane_count; pane++)
        sorted_by[pane] = pane_kinds[pane].sorted_by;
}

std::optional<PaneId> pane_of(std::string_view word) {
    for (const PaneKind& kind : pane_kinds)
        if (kind.word == word)
            return kind.id;
    return std::nullopt;
}

std::string short_count(double value) {
    constexpr struct {
        double unit;
        const char* suffix;
    } units[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (value < 0)
        return "-" + short_count(-value);
    if (value < 99'999.5)
        return fmt::format("{:.0f}", value);
    for (const auto& each : units)
        if (value >= each.unit)
            return value / each.unit < 99.95
                       ? fmt::format("{:.1f}{}", value / each.unit, each.suffix)
                       : fmt::format("{:.0f}{}", value / each.unit, each.suffix);
    return "";
}

std::string elapsed_text(double value) {
    constexpr double minute = 60, hour = 3600;
    if (value < 9.9995)
        return fmt::format("{:.3f} s", value);
    if (value < 99.95)
        return fmt::format("{:.1f} s", value);
    const auto whole = static_cast<std::uint64_t>(std::max(value, 0.0));
    if (value < hour)
        return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % static_cast<unsigned>(minute),
                       whole % 60);
}

std::string cell_text(const Cell& cell, CellFormat format) {
    switch (format) {
    case CellFormat::text:
        return cell.text;
    case CellFormat::count:
        return cell.text + short_count(cell.number);
    case CellFormat::rate:
    case CellFormat::bytes:
        return cell.number > 0 && cell.number < 9.95 ? fmt::format("{:.1f}", cell.number)
                                                     : short_count(cell.number);
    case CellFormat::seconds:
        if (cell.number < 0)
            return "";  // none
        return cell.text + (cell.number < 9999.9995 ? fmt::format("{:.3f}", cell.number)
                                                    : fmt::format("{:.0f}", cell.number));
    case CellFormat::percent:
        return fmt::format("{:.1f}", cell.number);
    }
    return "";
}

Search::Search(const std::string& expression) : expression_(), empty_(true) {
    if (expression.empty())
        return;
    const int status =
        regcomp(&expression_, expression.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (status == 0) {
        empty_ = false;
        return;
    }
    char text_of_error[128];
    regerror(status, &expression_, text_of_error, sizeof text_of_error);
    problem_ = fmt::format("\"{}\" is not a regular expression: {}", expression, text_of_error);
}

Search::~Search() {
    if (!empty_)
        regfree(&expression_);
}

bool Search::matches(const std::string& subject) const {
    return empty_ || regexec(&expression_, subject.c_str(), 0, nullptr, 0) == 0;
}

TimeSpan span_shown(const LiveModel& model, TimeSpan wanted) {
    const bool there = wanted == TimeSpan::interval ? model.interval > 0
                       : wanted == TimeSpan::mark   ? model.has_mark
                                                    : true;
    return there ? wanted : TimeSpan::start;
}

double seconds_of(const LiveModel& model, TimeSpan span) {
    return span == TimeSpan::interval ? model.interval
           : span == TimeSpan::mark   ? model.since_mark
                                      : model.elapsed;
}

Totals totals_in(TimeSpan span, const Totals& total, const Totals& before, const Totals& marked) {
    return total - base_of(span, before, marked, Totals{});
}

PathFiguresInSpan figures_in(const LiveModel& model, TimeSpan span) {
    const PathSums none;
    const PathSums& base = base_of(span, model.before, model.marked, none);
    const std::size_t paths = model.now.calls.size();
    PathFiguresInSpan figures;
    figures.calls.resize(paths);
    figures.exclusive.resize(paths);
    for (std::size_t i = 0; i < paths; i++) {
        const std::uint64_t calls = i < base.calls.size() ? base.calls[i] : 0;
        const double time = i < base.exclusive.size() ? base.exclusive[i] : 0;
        figures.calls[i] =
            static_cast<double>(model.now.calls[i] - std::min(model.now.calls[i], calls));
        figures.exclusive[i] = std::max(model.now.exclusive[i] - time, 0.0);
        figures.all += figures.exclusive[i];
    }
    figures.inclusive = figures.exclusive;
    for (std::size_t i = paths; i-- > 0;)
        if (const std::uint32_t parent = model.names->paths[i].parent; parent != no_path)
            figures.inclusive[parent] += figures.inclusive[i];
    return figures;
}

void set_rows(PaneTable& table, const ViewState& view, std::vector<RowFigures>& figures,
              std::size_t first, std::size_t count, CellText cell) {
    const std::span<const PaneColumn> columns = table.kind->columns;
    const std::size_t by =
        std::min<std::size_t>(view.sorted_by[view.pane_index()], columns.size() - 1);
    const bool ascending = columns[by].ascending != view.reversed[view.pane_index()];
    table.total = figures.size();
    const std::size_t begin = std::min(first, figures.size());
    const std::size_t end = begin + std::min(count, figures.size() - begin);
    const auto middle = figures.begin() + static_cast<std::ptrdiff_t>(end);
    if (columns[by].format == CellFormat::text) {
        std::vector<std::pair<std::string, RowFigures>> keyed;
        keyed.reserve(figures.size());
        for (const RowFigures& row : figures)
            keyed.emplace_back(cell(row, by), row);
        std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
            // "2" before "10".
            const bool shorter = a.first.size() != b.first.size() && !a.first.empty() &&
                                 !b.first.empty() &&
                                 std::isdigit(static_cast<unsigned char>(a.first[0])) &&
                                 std::isdigit(static_cast<unsigned char>(b.first[0]));
            const auto less = [&](const std::string& x, const std::string& y) {
                return shorter ? x.size() < y.size() : x < y;
            };
            return ascending ? less(a.first, b.first) : less(b.first, a.first);
        });
        for (std::size_t i = 0; i < keyed.size(); i++)
            figures[i] = keyed[i].second;
    } else {
        std::partial_sort(figures.begin(), middle, figures.end(),
                          [&](const RowFigures& a, const RowFigures& b) {
                              if (a.numbers[by] != b.numbers[by])
                                  return (a.numbers[by] < b.numbers[by]) == ascending;
                              return a.subject < b.subject;
                          });
    }
    table.rows.reserve(end - begin);
    for (std::size_t i = begin; i < end; i++) {
        PaneRow row;
        row.cells.reserve(columns.size());
        for (std::size_t column = 0; column < columns.size(); column++) {
            const bool has_text =
                columns[column].format == CellFormat::text || columns[column].id == "since";
            row.cells.push_back(
                {has_text ? cell(figures[i], column) : std::string(), figures[i].numbers[column]});
        }
        row.subject = figures[i].subject;
        table.rows.push_back(std::move(row));
    }
}

const std::string& shown_name(const LiveModel& model, const ViewState& view, std::uint32_t path) {
    const LiveFunction& function = model.names->function_of(path);
    return view.full_names ? function.full_name : function.name;
}

std::string process_text(const ModelProcess& process) {
    return fmt::format("{}", process.facts.uses_mpi ? std::int64_t{process.facts.rank}
                                                    : process.facts.pid);
}

PaneTable pane_table(const LiveModel& model, const ViewState& view, std::size_t first,
                     std::size_t count) {
    constexpr void (PaneMaker::*makers[pane_count])(PaneTable&) const = {
        &PaneMaker::functions, &PaneMaker::tree,     &PaneMaker::threads,  &PaneMaker::ranks,
        &PaneMaker::messages,  &PaneMaker::gpus,     &PaneMaker::sections, &PaneMaker::tasks,
        &PaneMaker::open,      &PaneMaker::rollcall, &PaneMaker::memory};
    const Search search(view.search);
    PaneTable table;
    table.kind = &pane_kinds[view.pane_index()];
    table.span = span_shown(model, view.span);
    table.span_seconds = seconds_of(model, table.span);
    table.problem = search.problem();
    if (model.names)
        (PaneMaker{model, view, search, first, count}.*makers[view.pane_index()])(table);
    return table;
}

}  // namespace vftrace
