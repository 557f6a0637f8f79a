#include "top/batch.hpp"

#include <cmath>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "top/head.hpp"
#include "top/panes.hpp"
#include "top/render.hpp"

namespace vftrace {
namespace {

constexpr std::size_t wide = 4096;  // columns; names are hardly ever longer

std::string json_number(double value) {
    if (!std::isfinite(value))
        return "0";
    return value == std::floor(value) && std::abs(value) < 9e15 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:.9g}", value);
}

constexpr const char* word_of(TimeSpan span) {
    return span == TimeSpan::interval ? "interval" : span == TimeSpan::mark ? "mark" : "start";
}

std::string json_of_row(const PaneTable& table, const PaneRow& row) {
    std::string json = "{";
    for (std::size_t i = 0; i < table.kind->columns.size(); i++) {
        const PaneColumn& column = table.kind->columns[i];
        const Cell& cell = row.cells[i];
        json += fmt::format("{}\"{}\":", i > 0 ? "," : "", column.id);
        if (column.format == CellFormat::text)
            json += json_string(cell.text);
        else if (column.format == CellFormat::seconds && cell.number < 0)
            json += "null";
        else
            json += json_number(cell.number);
        if (column.id == "since" && column.format == CellFormat::seconds && cell.number >= 0)
            json += fmt::format(",\"since_at_least\":{}", !cell.text.empty());
    }
    if (table.kind->id == PaneId::tree)
        json += fmt::format(",\"depth\":{}", row.depth);
    return json + "}";
}

std::string json_of_process(const ModelProcess& process) {
    return fmt::format(
        "{{\"pid\":{},\"rank\":{},\"host\":{},\"application\":{},\"state\":{},\"problem\":{},"
        "\"elapsed\":{},\"threads\":{},\"calls\":{},\"nodes\":{},\"filtered\":{}}}",
        process.facts.pid,
        process.facts.uses_mpi ? fmt::format("{}", process.facts.rank) : std::string("null"),
        json_string(process.facts.host), json_string(process.facts.application),
        json_string(word_of(process.presence)), json_string(process.problem),
        json_number(process.elapsed), process.threads, process.total.calls, process.nodes,
        process.filtered);
}

}  // namespace

std::string text_of(const LiveModel& model, const ViewState& view, std::size_t limit) {
    ViewState all = view;
    all.first = 0;
    all.selected = limit + 1;  // no row has the cursor
    constexpr std::size_t rows_around = 7;
    const PaneTable table = pane_table(model, all, 0, 0);
    const std::size_t rows = std::min(limit, std::max<std::size_t>(table.total, 1));
    const TextFrame frame = render(model, all, std::max(rows + rows_around, least_rows), wide);
    std::string text;
    for (std::size_t i = 0; i + 1 < frame.size() && i < rows + rows_around - 1; i++) {
        constexpr std::size_t tabs = 3;
        if (i == tabs)
            text += pane_kinds[view.pane_index()].title;
        text += (i == tabs ? "" : frame[i].text()) + "\n";
    }
    for (const ModelProcess& process : model.processes)
        if (!process.problem.empty())
            text += process.problem + "\n";
    return text;
}

std::string json_of(const LiveModel& model, const ViewState& view, std::size_t limit,
                    double unix_seconds) {
    const PaneTable table = pane_table(model, view, 0, limit);
    const HeadFigures head = head_figures(model, view.span);
    std::string json = fmt::format(
        "{{\"time\":{:.3f},\"elapsed\":{},\"span\":\"{}\",\"span_seconds\":{},\"running\":{},"
        "\"ranks\":{},\"threads\":{},\"calls_per_second\":{},\"code_percent\":{},"
        "\"mpi_percent\":{},\"openmp_wait_percent\":{},\"gpu_wait_percent\":{},"
        "\"overhead_percent\":{},\"filtered\":{},\"processes\":[",
        unix_seconds, json_number(head.elapsed), word_of(table.span),
        json_number(table.span_seconds), head.running, head.ranks, head.threads,
        json_number(head.calls_per_second), json_number(head.shares[0]),
        json_number(head.shares[1]), json_number(head.shares[2]), json_number(head.shares[3]),
        json_number(head.overhead), head.filtered);
    for (std::size_t i = 0; i < model.processes.size(); i++)
        json += (i > 0 ? "," : "") + json_of_process(model.processes[i]);
    json += fmt::format("],\"pane\":\"{}\",\"total_rows\":{},\"rows\":[", table.kind->word,
                        table.total);
    for (std::size_t i = 0; i < table.rows.size(); i++)
        json += (i > 0 ? "," : "") + json_of_row(table, table.rows[i]);
    return json + "]}";
}

}  // namespace vftrace
