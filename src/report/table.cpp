// The one table printer of all logs.
#include "report/table.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

// A list whose last column is wider than this has ragged lines: padding a million short call
// paths to the width of one very deep one would multiply the size of the log.
constexpr std::size_t widest_padded_column = 400;

bool looks_like_zero(std::string_view number) {
    std::string_view digits = number.substr(0, number.find('e'));
    return digits.find_first_of("123456789") == std::string_view::npos;
}

}  // namespace

TableRow::Cell& TableRow::next_cell() {
    if (used_ == cells_.size())
        cells_.emplace_back();
    Cell& cell = cells_[used_++];
    cell.text.clear();
    return cell;
}

void TableRow::marked_integer(const char* mark, std::uint64_t value) {
    Cell& cell = next_cell();
    append_format(cell.text, "%s%llu", mark, static_cast<unsigned long long>(value));
    cell.width = cell.text.size();
}

void TableRow::number(double value) {
    const Column& column = columns_[used_];
    if (!std::isfinite(value))
        value = 0.0;
    Cell& cell = next_cell();
    append_format(cell.text, column.type == CellType::scientific ? "%.*e" : "%.*f", column.decimals,
                  value);
    if (cell.text.front() == '-' && looks_like_zero(cell.text))
        cell.text.erase(0, 1);
    cell.width = cell.text.size();
}

void TableRow::text(std::string_view value) {
    Cell& cell = next_cell();
    cell.text = printable(value);
    cell.width = count_code_points(cell.text);
}

TablePrinter::TablePrinter(OutputFile& out, TableStyle style, std::span<const Column> columns)
    : out_(out), style_(style), columns_(columns) {
    for (const Column& column : columns)
        widths_.push_back(count_code_points(column.header));
}

void TablePrinter::measure(TableRow& row) {
    for (std::size_t i = 0; i < row.used_; i++)
        widths_[i] = std::max(widths_[i], row.cells_[i].width);
    row.clear();
}

void TablePrinter::begin() {
    print_rule();
    for (std::size_t i = 0; i < columns_.size(); i++) {
        std::string_view header = columns_[i].header;
        std::size_t room = widths_[i] - count_code_points(header);
        std::size_t left = room / 2;
        if (style_ == TableStyle::list)
            left = columns_[i].align == Align::left ? 0 : room;
        print_cell(i, header, left, room - left);
    }
    print_rule();
}

void TablePrinter::print(TableRow& row) {
    for (std::size_t i = 0; i < row.used_; i++) {
        const TableRow::Cell& cell = row.cells_[i];
        std::size_t room = widths_[i] - std::min(widths_[i], cell.width);
        bool to_the_left = columns_[i].align == Align::left;
        print_cell(i, cell.text, to_the_left ? 0 : room, to_the_left ? room : 0);
    }
    row.clear();
}

void TablePrinter::end() { print_rule(); }

void TablePrinter::print_rule() {
    std::string line;
    for (std::size_t width : widths_) {
        line += style_ == TableStyle::framed ? '+' : '-';
        line.append(width + 2, '-');
    }
    line += style_ == TableStyle::framed ? "+\n" : "-\n";
    out_.write(line);
}

// The blanks beside a cell, the bar or blank before it and, in the last column, what ends the line.
void TablePrinter::print_cell(std::size_t column, std::string_view text, std::size_t left,
                              std::size_t right) {
    const char bar = style_ == TableStyle::framed ? '|' : ' ';
    const bool last = column + 1 == columns_.size();
    std::string piece{bar, ' '};
    piece.append(left, ' ');
    piece += text;
    if (last && style_ == TableStyle::list && widths_[column] > widest_padded_column) {
        piece += '\n';
    } else {
        piece.append(right + 1, ' ');
        if (last)
            piece.append({bar, '\n'});
    }
    out_.write(piece);
}

}  // namespace vftrace
