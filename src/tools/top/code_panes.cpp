// Panes about the program's code: functions, call tree, sections, tasks, memory.
#include <algorithm>
#include <unordered_map>

#include "top/pane_rows.hpp"

namespace vftrace {
namespace {

double per_second(double number, double seconds) { return seconds > 0 ? number / seconds : 0; }
double percent_of(double part, double all) { return all > 0 ? 100 * part / all : 0; }

// Tree rows down to this depth are shown at first.
constexpr std::uint32_t shown_at_first = 3;

}  // namespace

void PaneMaker::functions(PaneTable& table) const {
    const PathFiguresInSpan figures = figures_in(model, table.span);
    const std::vector<LiveFunction>& functions = model.names->functions.all();
    constexpr std::size_t share = 0, self = 1, total = 2, calls = 3, rate = 4;
    std::vector<RowFigures> rows(functions.size());
    std::vector<bool> occurs(functions.size(), false);
    for (std::uint32_t path = 0; path < figures.calls.size(); path++) {
        const std::uint32_t function = model.names->paths[path].function;
        RowFigures& row = rows[function];
        occurs[function] = true;
        row.subject = function;
        row.numbers[self] += figures.exclusive[path];
        row.numbers[calls] += figures.calls[path];
        if (model.is_outermost[path])
            row.numbers[total] += figures.inclusive[path];
    }
    std::vector<RowFigures> shown;
    shown.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); i++) {
        RowFigures& row = rows[i];
        const LiveFunction& function = functions[i];
        const bool wanted =
            occurs[i] && function.kind != NodeKind::root &&
            (row.numbers[self] > 0 || row.numbers[calls] > 0 || row.numbers[total] > 0);
        if (!wanted || !search.matches(view.full_names ? function.full_name : function.name))
            continue;
        row.numbers[share] = percent_of(row.numbers[self], figures.all);
        row.numbers[rate] = per_second(row.numbers[calls], table.span_seconds);
        shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const LiveFunction& function = functions[row.subject];
        if (table.kind->columns[column].id == "kind")
            return std::string(row_of(function.kind).word);
        return view.full_names ? function.full_name : function.name;
    });
    for (PaneRow& row : table.rows)
        row.subject = no_path;
}

void PaneMaker::tree(PaneTable& table) const {
    const PathFiguresInSpan figures = figures_in(model, table.span);
    const LivePaths& paths = model.names->paths;
    const std::size_t size = figures.calls.size();
    const std::span<const PaneColumn> columns = table.kind->columns;
    const std::size_t by =
        std::min<std::size_t>(view.sorted_by[view.pane_index()], columns.size() - 1);
    const bool ascending = columns[by].ascending != view.reversed[view.pane_index()];
    // A path exists if something was called on it; with a search, if it or a path below matches.
    std::vector<bool> there(size, false), matches(model.names->functions.all().size(), true);
    for (std::size_t i = 0; i < matches.size() && !search.is_empty(); i++) {
        const LiveFunction& function = model.names->functions[i];
        matches[i] = search.matches(view.full_names ? function.full_name : function.name);
    }
    std::vector<std::uint32_t> first_callee(size, no_path), next(size, no_path);
    for (std::uint32_t path = static_cast<std::uint32_t>(size); path-- > 0;) {
        const bool has_figures = figures.inclusive[path] > 0 || figures.calls[path] > 0;
        there[path] = there[path] || (has_figures && matches[paths[path].function]);
        const std::uint32_t parent = paths[path].parent;
        if (!there[path] || parent == no_path)
            continue;
        there[parent] = true;
        next[path] = first_callee[parent];
        first_callee[parent] = path;
    }
    const auto numbers = [&](std::uint32_t path) {
        return std::array<double, 4>{percent_of(figures.inclusive[path], figures.all),
                                     figures.inclusive[path], figures.exclusive[path],
                                     figures.calls[path]};
    };
    const auto sorted_callees = [&](std::uint32_t path) {
        std::vector<std::uint32_t> callees;
        for (std::uint32_t callee = first_callee[path]; callee != no_path; callee = next[callee])
            callees.push_back(callee);
        std::stable_sort(callees.begin(), callees.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (by < 4)
                return ascending ? numbers(a)[by] < numbers(b)[by]
                                 : numbers(b)[by] < numbers(a)[by];
            const std::string &left = shown_name(model, view, a),
                              &right = shown_name(model, view, b);
            return ascending ? left < right : right < left;
        });
        return callees;
    };
    struct Waiting {
        std::uint32_t path, depth;
    };
    std::vector<Waiting> stack;
    const auto push_callees = [&](std::uint32_t path, std::uint32_t depth) {
        const std::vector<std::uint32_t> callees = sorted_callees(path);
        for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee)
            stack.push_back({*callee, depth});
    };
    for (std::uint32_t path = 0; path < size; path++)
        if (paths[path].parent == no_path && there[path])
            push_callees(path, 0);
    while (!stack.empty()) {
        const Waiting own = stack.back();
        stack.pop_back();
        const bool has_callees = first_callee[own.path] != no_path;
        const bool is_expanded =
            has_callees && (!search.is_empty() || view.expanded.contains(own.path) ||
                            (own.depth < shown_at_first && !view.collapsed.contains(own.path)));
        if (table.total >= first && table.rows.size() < count) {
            PaneRow row;
            row.subject = own.path;
            row.depth = own.depth;
            row.has_callees = has_callees;
            row.is_expanded = is_expanded;
            for (double number : numbers(own.path))
                row.cells.push_back({"", number});
            row.cells.push_back({shown_name(model, view, own.path), 0});
            table.rows.push_back(std::move(row));
        }
        table.total++;
        if (is_expanded)
            push_callees(own.path, own.depth + 1);
    }
}

void PaneMaker::sections(PaneTable& table) const {
    const PathFiguresInSpan figures = figures_in(model, table.span);
    constexpr std::size_t level = 0, share = 1, total = 2, self = 3, calls = 4, since = 5;
    std::unordered_map<std::uint32_t, RowFigures> by_function;
    const auto is_section = [&](std::uint32_t path) {
        return model.names->function_of(path).kind == NodeKind::section;
    };
    for (std::uint32_t path = 0; path < figures.calls.size(); path++) {
        if (!is_section(path))
            continue;
        RowFigures& row = by_function[model.names->paths[path].function];
        row.subject = path;
        row.numbers[level] = model.names->function_of(path).level;
        row.numbers[since] = -1;
        row.numbers[self] += figures.exclusive[path];
        row.numbers[calls] += figures.calls[path];
        if (model.is_outermost[path])
            row.numbers[total] += figures.inclusive[path];
    }
    // Calls of a section belong to it, except for nested sections.
    for (std::uint32_t path = 0; path < figures.calls.size(); path++)
        for (std::uint32_t above = is_section(path) ? no_path : model.names->paths[path].parent;
             above != no_path; above = model.names->paths[above].parent)
            if (is_section(above)) {
                by_function[model.names->paths[above].function].numbers[self] +=
                    figures.exclusive[path];
                break;
            }
    for (const ModelThread& thread : model.threads)
        for (const OpenCall& call : thread.now.open)
            if (is_section(call.path)) {
                double& longest =
                    by_function[model.names->paths[call.path].function].numbers[since];
                longest = std::max(longest, call.seconds);
            }
    std::vector<RowFigures> shown;
    shown.reserve(by_function.size());
    for (auto& [function, row] : by_function) {
        row.numbers[share] = percent_of(row.numbers[total], figures.all);
        if (search.matches(shown_name(model, view, row.subject)))
            shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const std::string_view id = table.kind->columns[column].id;
        if (id == "since")
            return std::string();
        if (id == "message")  // the program's message while a section is open
            return row.numbers[since] < 0 ? std::string()
                                          : model.names->function_of(row.subject).live_message;
        return shown_name(model, view, row.subject);
    });
}

void PaneMaker::show_functions(PaneTable& table, const FiguresByFunction& by_function) const {
    std::vector<RowFigures> shown;
    shown.reserve(by_function.size());
    for (const auto& [function, row] : by_function)
        if (search.matches(shown_name(model, view, row.subject)))
            shown.push_back(row);
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t) {
        return shown_name(model, view, row.subject);
    });
}

void PaneMaker::tasks(PaneTable& table) const {
    FiguresByFunction by_function;
    for (const ModelTask& task : model.tasks) {
        const TaskFigures none{};
        const TaskFigures& base = base_of(table.span, task.before, task.marked, none);
        RowFigures& row = by_function[model.names->paths[task.total.path].function];
        row.subject = task.total.path;
        const auto add = [&](std::size_t column, std::uint64_t now, std::uint64_t then) {
            row.numbers[column] += static_cast<double>(now - std::min(now, then));
        };
        add(1, task.total.created, base.created);
        add(2, task.total.created, task.total.ended);
        add(3, task.total.ended, base.ended);
        add(4, task.total.failed, base.failed);
        add(5, task.total.pauses, base.pauses);
    }
    for (auto& [function, row] : by_function)
        row.numbers[0] = per_second(row.numbers[1], table.span_seconds);
    show_functions(table, by_function);
}

void PaneMaker::memory(PaneTable& table) const {
    enum Column : std::size_t { live, grown, allocated_rate, calls_rate, allocated };
    FiguresByFunction by_function;
    for (const ModelMemory& path : model.memory) {
        const MemoryFigures none{};
        const MemoryFigures& base = base_of(table.span, path.before, path.marked, none);
        RowFigures& row = by_function[model.names->paths[path.total.path].function];
        row.subject = path.total.path;
        row.numbers[live] += path.total.live;
        row.numbers[grown] += path.total.live - base.live;
        row.numbers[allocated] += std::max(path.total.allocated - base.allocated, 0.0);
        row.numbers[calls_rate] += std::max(path.total.calls - base.calls, 0.0);
    }
    for (auto& [function, row] : by_function) {
        row.numbers[allocated_rate] = per_second(row.numbers[allocated], table.span_seconds);
        row.numbers[calls_rate] = per_second(row.numbers[calls_rate], table.span_seconds);
    }
    show_functions(table, by_function);
}

}  // namespace vftrace
