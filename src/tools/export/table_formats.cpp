#include "export/table_formats.hpp"
#include "export/csv_quoted.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.hpp"

namespace vftrace {
namespace {

using Cell = TableRow::Cell;
using Mark = TableRow::Mark;

// Adds quotation marks only if the text would not be one value without them.
std::string csv_text(std::string_view text) {
    const std::string shown = printable(text);
    if (shown.find_first_of(",\"") == std::string::npos)
        return shown;
    return csv_quoted(shown);
}

std::string csv_cell(const Cell& cell) {
    switch (cell.kind) {
    case Cell::Kind::blank:
        break;
    case Cell::Kind::integer:
        return fmt::format("{}{}",
                           cell.mark == Mark::exact      ? ""
                           : cell.mark == Mark::estimate ? "~"
                                                         : ">=",
                           cell.integer);
    case Cell::Kind::number:
        return fmt::format("{}", cell.number);
    case Cell::Kind::text:
        return csv_text(cell.text);
    }
    return {};
}

void write_cell(const Cell& cell, JsonWriter& json) {
    switch (cell.kind) {
    case Cell::Kind::blank:
        return json.null();
    case Cell::Kind::integer:
        if (cell.mark == Mark::exact)
            return json.unsigned_integer(cell.integer);
        json.begin_object(JsonWriter::Layout::compact);
        json.key(cell.mark == Mark::estimate ? "about" : "at_least").unsigned_integer(cell.integer);
        return json.end_object();
    case Cell::Kind::number:
        return json.number(cell.number);
    case Cell::Kind::text:
        return json.string(cell.text);
    }
}

// A title without the characters that are meant for the log.
std::string_view trimmed(std::string_view title) {
    if (title == "+-")
        return title;
    const std::size_t first = title.find_first_not_of(" \n-"), last = title.find_last_not_of(" -:");
    return first == std::string_view::npos ? title : title.substr(first, last + 1 - first);
}

// A header without the unit, which has a separate field.
std::string_view without_unit(const Column& column) {
    const std::string bracketed = fmt::format("[{}]", column.unit);
    std::string_view header = column.header;
    if (header.ends_with(bracketed))
        header.remove_suffix(bracketed.size());
    return trimmed(header);
}

void write_column(const Column& column, JsonWriter& json) {
    json.begin_object(JsonWriter::Layout::compact);
    json.key("id").string(column.id);
    json.key("title").string(without_unit(column));
    if (!column.unit.empty())
        json.key("unit").string(column.unit);
    json.key("type").string(column.type == CellType::text      ? "text"
                            : column.type == CellType::integer ? "integer"
                                                               : "number");
    json.end_object();
}

template <class Visit>
void for_each_row(std::size_t rows, FillRow fill, Visit visit) {
    TableRow row;
    for (std::size_t i = 0; i < rows; i++) {
        row.clear();
        fill(i, row);
        visit(row.cells());
    }
}

}  // namespace

void CsvTables::table(const TableSpec& spec, std::size_t rows, FillRow fill) {
    std::string line = first_ ? "" : "\n";
    first_ = false;
    for (const Column& column : spec.columns) {
        const std::string unit = column.unit.empty() ? "" : fmt::format("[{}]", column.unit);
        line += (&column == spec.columns.data() ? "" : ",") +
                csv_text(fmt::format("{}{}", column.id, unit));
    }
    out_.write(line + '\n');
    for_each_row(rows, fill, [&](std::span<const Cell> cells) {
        line.clear();
        for (const Cell& cell : cells)
            line += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
        out_.write(line + '\n');
    });
}

void JsonTables::begin() {
    if (has_begun_)
        return;
    has_begun_ = true;
    json_.begin_object();
    json_.key("tables").begin_array();
}

void JsonTables::table(const TableSpec& spec, std::size_t rows, FillRow fill) {
    begin();
    json_.begin_object();
    json_.key("id").string(spec.id);
    json_.key("title").string(trimmed(spec.title));
    json_.key("row").string(spec.row);
    if (!spec.sorted_by.empty()) {
        json_.key("sorted_by").begin_object(JsonWriter::Layout::compact);
        json_.key("column").string(spec.sorted_by);
        json_.key("ascending").boolean(spec.ascending);
        json_.end_object();
    }
    json_.key("columns").begin_array();
    for (const Column& column : spec.columns)
        write_column(column, json_);
    json_.end_array();
    json_.key("rows").begin_array();
    for_each_row(rows, fill, [&](std::span<const Cell> cells) {
        json_.begin_array(JsonWriter::Layout::compact);
        for (const Cell& cell : cells)
            write_cell(cell, json_);
        json_.end_array();
    });
    json_.end_array();
    json_.end_object();
}

void JsonTables::end() {
    begin();
    json_.end_array();
    json_.end_object();
}

void SelectedTables::table(const TableSpec& spec, std::size_t rows, FillRow fill) {
    seen_.emplace_back(spec.id);
    if (std::find(ids_.begin(), ids_.end(), spec.id) != ids_.end())
        out_.table(spec, rows, fill);
}

}  // namespace vftrace
