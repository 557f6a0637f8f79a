#include "top/render.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "top/head.hpp"
#include "top/help_text.hpp"
#include "top/panes.hpp"

namespace vftrace {
namespace {

constexpr std::size_t head_rows = 6, foot_rows = 1;
constexpr std::size_t usual_columns = 80;

std::string elapsed_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Line first_line(const HeadFigures& head, const LiveModel& model, const ViewState& view) {
    Line line;
    line.add("vftrace top  ", Style::title).add(clipped(head.program, 44, true));
    line.add(fmt::format("  {}", elapsed_text(head.elapsed)), Style::strong);
    if (view.frozen)
        line.add("  frozen", Style::warning);
    if (head.running < head.processes) {
        const auto gone = std::find_if(
            model.processes.begin(), model.processes.end(),
            [](const ModelProcess& process) { return process.presence != Presence::running; });
        line.add(head.processes == 1
                     ? fmt::format("  {}", word_of(gone->presence))
                     : fmt::format("  {} not running", head.processes - head.running),
                 Style::warning);
    }
    return line;
}

Line second_line(const HeadFigures& head) {
    Line line;
    if (head.uses_mpi)
        line.add("ranks ", Style::faint).add(fmt::format("{}/{}  ", head.running, head.ranks));
    else if (head.processes > 1)
        line.add("processes ", Style::faint).add(fmt::format("{}  ", head.running));
    line.add("threads ", Style::faint).add(fmt::format("{}  ", head.threads));
    line.add("calls/s ", Style::faint).add(fmt::format("{}  ", short_count(head.calls_per_second)));
    line.add("paths ", Style::faint)
        .add(fmt::format("{}  ", short_count(static_cast<double>(head.paths))));
    line.add("overhead ", Style::faint).add(fmt::format("{:.1f} %  ", head.overhead));
    line.add("filtered ", Style::faint).add(fmt::format("{}", head.filtered));
    return line;
}

Line third_line(const HeadFigures& head) {
    constexpr const char* words[times_in] = {"code", "MPI", "OpenMP waiting", "GPU waiting"};
    Line line;
    for (std::size_t i = 0; i < times_in; i++)
        line.add(fmt::format("{} ", words[i]), Style::faint)
            .add(fmt::format("{:.1f} %  ", head.shares[i]),
                 head.shares[i] >= 50 ? Style::strong : Style::plain);
    return line;
}

Line tabs(const ViewState& view) {
    Line line;
    for (std::size_t i = 0; i < pane_count; i++) {
        line.add(i > 0 ? " " : "");
        line.add(fmt::format("{} {}", pane_kinds[i].key, pane_kinds[i].tab),
                 pane_kinds[i].id == view.pane ? Style::selected : Style::faint);
    }
    return line;
}

Line chosen(const PaneTable& table, const ViewState& view) {
    const PaneColumn& by = table.kind->columns[view.sorted_by[view.pane_index()]];
    Line line;
    // What narrows the rows comes first: a narrow terminal cuts the end of the line.
    line.add(fmt::format("{} row{} ", table.total, plural_s(table.total)));
    if (!view.search.empty())
        line.add(fmt::format("matching /{}/ ", view.search), Style::strong);
    line.add(table.span == TimeSpan::interval
                 ? fmt::format("in the last {:.1f} s", table.span_seconds)
             : table.span == TimeSpan::mark
                 ? fmt::format("since the mark, {} ago", elapsed_text(table.span_seconds))
                 : std::string("since the start"));
    line.add(fmt::format(", sorted by {}{}", by.header,
                         view.reversed[view.pane_index()] ? ", reversed" : ""));
    if (!table.problem.empty())
        line.add("  " + table.problem, Style::warning);
    return line;
}

// The width of each column of a table in a terminal with this number of columns; 0: not shown.
// Columns without a fixed width share what is left, as their texts need it. Of these, the first one
// is always shown, the others only if a row has a text in them.
std::vector<std::size_t> widths_of(const PaneTable& table, std::size_t columns) {
    const std::span<const PaneColumn> kinds = table.kind->columns;
    std::vector<std::size_t> widths(kinds.size(), 0);
    std::vector<std::size_t> sharing;
    std::size_t used = 0;
    for (std::size_t i = 0; i < kinds.size(); i++) {
        const auto has_text = [&](const PaneRow& row) { return !row.cells[i].text.empty(); };
        if (kinds[i].width == 0) {
            if (sharing.empty() || std::any_of(table.rows.begin(), table.rows.end(), has_text))
                sharing.push_back(i);
        } else if (kinds[i].narrow || columns > usual_columns) {
            widths[i] = kinds[i].width;
            used += widths[i] + 1;
        }
    }
    std::size_t left = columns - std::min(columns, used + sharing.size() - 1);
    std::vector<std::size_t> needs;
    std::size_t needed = 0;
    for (std::size_t i : sharing) {
        std::size_t need = kinds[i].header.size();
        for (const PaneRow& row : table.rows)
            need = std::max(need, columns_of(row.cells[i].text));
        needs.push_back(need);
        needed += need;
    }
    for (std::size_t i = 0; i < sharing.size(); i++) {
        const std::size_t fair = left / (sharing.size() - i);
        needed -= needs[i];  // now the need of the columns after this one
        const bool is_last = i + 1 == sharing.size();
        std::size_t& width = widths[sharing[i]];
        width = is_last ? left : std::min(needs[i], std::max(fair, left - std::min(left, needed)));
        width = std::max<std::size_t>(width, 1);
        left -= std::min(left, width);
    }
    return widths;
}

Line headings(const PaneTable& table, const std::vector<std::size_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); i++) {
        const PaneColumn& column = table.kind->columns[i];
        if (widths[i] > 0)
            text += (column.format == CellFormat::text ? padded(column.header, widths[i])
                                                       : right_aligned(column.header, widths[i])) +
                    " ";
    }
    Line line;
    line.add(text.substr(0, text.find_last_not_of(' ') + 1), Style::heading);
    return line;
}

Line row_line(const PaneTable& table, const PaneRow& row, bool selected,
              const std::vector<std::size_t>& widths, std::size_t columns) {
    const Style style = selected ? Style::selected : row.is_warning ? Style::warning : Style::plain;
    std::string text;
    for (std::size_t i = 0; i < widths.size(); i++) {
        const PaneColumn& column = table.kind->columns[i];
        if (widths[i] == 0)
            continue;
        std::string cell = cell_text(row.cells[i], column.format);
        if (column.width > 0) {
            text += (column.format == CellFormat::text ? padded(cell, widths[i])
                                                       : right_aligned(cell, widths[i])) +
                    " ";
            continue;
        }
        std::string before;
        if (table.kind->id == PaneId::tree) {
            constexpr std::size_t most_indent = 30;
            before = std::string(std::min<std::size_t>(2 * row.depth, most_indent), ' ') +
                     (!row.has_callees  ? "  "
                      : row.is_expanded ? "- "
                                        : "+ ");
        }
        const std::size_t room = widths[i] - std::min(widths[i], before.size());
        text += padded(before + clipped(cell, room, true), widths[i]) + " ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    if (selected)
        text = padded(text, columns);
    Line line;
    line.add(text, style);
    return line;
}

Line foot(const ViewState& view) {
    Line line;
    if (view.typing)
        return line.add("/" + view.typed, Style::strong).add("_  (Enter: search, Esc: cancel)");
    if (!view.message.empty())
        return line.add(view.message, view.message_is_error ? Style::warning : Style::strong);
    static constexpr struct {
        const char *key, *meaning;
    } keys[] = {{"?", "help"}, {"q", "quit"}, {"s", "sort"},       {"/", "search"},
                {"d", "span"}, {"m", "mark"}, {"Space", "freeze"}, {"w", "snapshot"}};
    const char* between = "";
    for (const auto& [key, meaning] : keys) {
        line.add(between).add(key, Style::strong).add(" ").add(meaning);
        between = "  ";
    }
    return line;
}

TextFrame help(const ViewState& view, std::size_t rows, std::size_t columns) {
    TextFrame frame;
    const std::size_t room = rows - 1;
    const std::size_t first =
        std::min(view.first_help_line, std::size(help_text) - std::min(room, std::size(help_text)));
    for (std::size_t i = first; i < std::size(help_text) && frame.size() < room; i++) {
        const bool heading = help_text[i][0] != ' ' && help_text[i][0] != '\0';
        frame.emplace_back().add(help_text[i], heading ? Style::title : Style::plain);
    }
    while (frame.size() < room)
        frame.emplace_back();
    frame.emplace_back().add("up, down: more   any other key: back", Style::strong);
    for (Line& line : frame)
        line.clip(columns);
    return frame;
}

}  // namespace

std::size_t rows_of_pane(std::size_t rows) {
    return rows > head_rows + foot_rows ? rows - head_rows - foot_rows : 0;
}

std::size_t help_lines() { return std::size(help_text); }

TextFrame render(const LiveModel& model, const ViewState& view, std::size_t rows,
                 std::size_t columns) {
    TextFrame frame;
    if (rows < least_rows || columns < least_columns) {
        frame.emplace_back().add(
            fmt::format("terminal smaller than {}x{}", least_columns, least_rows));
        frame.back().clip(columns);
        return frame;
    }
    if (view.help)
        return help(view, rows, columns);
    const std::size_t room = rows_of_pane(rows);
    const PaneTable table = pane_table(model, view, view.first, room);
    const HeadFigures head = head_figures(model, view.span);
    const std::vector<std::size_t> widths = widths_of(table, columns);
    frame = {first_line(head, model, view), second_line(head),      third_line(head), tabs(view),
             chosen(table, view),           headings(table, widths)};
    for (std::size_t i = 0; i < table.rows.size(); i++)
        frame.push_back(
            row_line(table, table.rows[i], view.first + i == view.selected, widths, columns));
    if (table.total == 0)
        frame.emplace_back().add(view.search.empty() ? table.kind->nothing : "Nothing matches.",
                                 Style::faint);
    while (frame.size() < head_rows + room)
        frame.emplace_back();
    frame.push_back(foot(view));
    for (Line& line : frame)
        line.clip(columns);
    return frame;
}

}  // namespace vftrace
