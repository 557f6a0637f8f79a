// The cells of a table's rows.
#include "report/table.hpp"

#include <cmath>
#include <cstdarg>

#include "base/text.hpp"

namespace vftrace {

TableRow::Cell& TableRow::next_cell(Cell::Kind kind) {
    if (used_ == cells_.size())
        cells_.emplace_back();
    Cell& cell = cells_[used_++];
    cell.kind = kind;
    return cell;
}

void TableRow::add_integer(std::uint64_t value, Mark mark) {
    Cell& cell = next_cell(Cell::Kind::integer);
    cell.integer = value;
    cell.mark = mark;
}

void TableRow::number(double value) {
    next_cell(Cell::Kind::number).number = std::isfinite(value) ? value : 0.0;
}

void TableRow::text(std::string_view value) { next_cell(Cell::Kind::text).text = value; }

void TableOutput::print(const char* pattern, ...) {
    std::string text;
    std::va_list arguments;
    va_start(arguments, pattern);
    append_format_v(text, pattern, arguments);
    va_end(arguments);
    write(text);
}

}  // namespace vftrace
