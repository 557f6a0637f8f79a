// The one table printer of all logs.
#include "report/text_table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

// A list whose last column is wider than this has ragged lines: padding a million short call
// paths to the width of one very deep one would multiply the size of the log.
constexpr std::size_t widest_padded_column = 400;

using Cell = TableRow::Cell;

bool looks_like_zero(std::string_view number) {
    std::string_view digits = number.substr(0, number.find('e'));
    return digits.find_first_of("123456789") == std::string_view::npos;
}

void write_cell(const Cell& cell, const Column& column, std::string& text) {
    constexpr const char* marks[] = {"", ">=", "~"};  // by Mark
    text.clear();
    switch (cell.kind) {
    case Cell::Kind::blank:
        break;
    case Cell::Kind::integer:
        append_format(text, "%s%llu", marks[static_cast<std::size_t>(cell.mark)],
                      static_cast<unsigned long long>(cell.integer));
        break;
    case Cell::Kind::number:
        append_format(text, column.type == CellType::scientific ? "%.*e" : "%.*f", column.decimals,
                      cell.number);
        if (text.front() == '-' && looks_like_zero(text))
            text.erase(0, 1);
        break;
    case Cell::Kind::text:
        text = printable(cell.text);
        break;
    }
}

class TablePrinter {
  public:
    TablePrinter(OutputFile& out, const TableSpec& spec)
        : out_(out), style_(spec.style), columns_(spec.columns) {
        for (const Column& column : columns_)
            widths_.push_back(std::max(count_code_points(column.header), column.min_width));
    }

    // The widths must be known before the first line is printed.
    void measure(const TableRow& row) {
        for_each_cell(row, [&](std::size_t i, std::string_view text) {
            widths_[i] = std::max(widths_[i], count_code_points(text));
        });
    }

    void print_header() {
        print_rule();
        for (std::size_t i = 0; i < columns_.size(); i++) {
            if (!columns_[i].in_text)
                continue;
            const std::string_view header = columns_[i].header;
            const std::size_t room = widths_[i] - count_code_points(header);
            std::size_t left = room / 2;
            if (style_ == TableStyle::ruled)
                left = (room + 1) / 2;
            if (style_ == TableStyle::list)
                left = columns_[i].align == Align::left ? 0 : room;
            print_cell(i, header, left, room - left);
        }
        print_rule();
    }

    void print(const TableRow& row) {
        for_each_cell(row, [&](std::size_t i, std::string_view text) {
            const std::size_t room = widths_[i] - std::min(widths_[i], count_code_points(text));
            const bool to_the_left = columns_[i].align == Align::left;
            print_cell(i, text, to_the_left ? 0 : room, to_the_left ? room : 0);
        });
    }

    void print_rule() {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); i++) {
            if (!columns_[i].in_text)
                continue;
            line += style_ == TableStyle::framed ? '+' : '-';
            line.append(widths_[i] + 2, '-');
        }
        line += style_ == TableStyle::framed ? "+\n" : "-\n";
        out_.write(line);
    }

  private:
    template <class Visit>
    void for_each_cell(const TableRow& row, Visit visit) {
        std::size_t i = 0;
        for (const Cell& cell : row.cells()) {
            if (columns_[i].in_text) {
                write_cell(cell, columns_[i], text_);
                visit(i, text_);
            }
            i++;
        }
    }

    // The blanks beside a cell, the bar or blank before it and, in the last column, what ends the
    // line.
    void print_cell(std::size_t column, std::string_view text, std::size_t left,
                    std::size_t right) {
        const char bar = style_ == TableStyle::list ? ' ' : '|';
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

    OutputFile& out_;
    TableStyle style_;
    std::span<const Column> columns_;
    std::vector<std::size_t> widths_;
    std::string text_;  // of one cell
};

}  // namespace

void print_table(OutputFile& out, const TableSpec& spec, std::size_t rows, FillRow fill) {
    if (!spec.title.empty())
        out.write(std::string(spec.title) + '\n');
    out.write(spec.intro);
    TablePrinter printer(out, spec);
    TableRow row;
    const auto filled = [&](std::size_t i) -> const TableRow& {
        row.clear();
        fill(i, row);
        return row;
    };
    for (std::size_t i = 0; i < rows; i++)
        printer.measure(filled(i));
    printer.print_header();
    for (std::size_t i = 0; i < rows; i++)
        printer.print(filled(i));
    printer.print_rule();
}

}  // namespace vftrace
