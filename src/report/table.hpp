// The one table printer of all logs: framed tables and lists without frame, written as a stream.
//
//     const Column columns[] = {{"Calls", CellType::integer}, {"Function"}};
//     print_table(out, TableStyle::framed, columns, rows.size(), [&](std::size_t i, TableRow& row)
//     {
//         row.integer(rows[i].calls);
//         row.text(rows[i].name);
//     });
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.hpp"

namespace vftrace {

enum class CellType : std::uint8_t { text, integer, fixed, scientific };
enum class Align : std::uint8_t { right, left };

struct Column {
    std::string_view header;
    CellType type = CellType::text;
    int decimals = 0;  // of fixed and scientific numbers
    Align align = Align::right;
};

enum class TableStyle : std::uint8_t {
    framed,  // +---+ and | around every cell, headers centred
    list     // blanks between the columns, rules of '-', headers aligned like their values
};

// The cells of one row, filled from left to right; one function for each CellType, and the type
// of the column must be the one of the function.
class TableRow {
  public:
    explicit TableRow(std::span<const Column> columns) : columns_(columns) {}
    void integer(std::uint64_t value) { marked_integer("", value); }
    // A number that is at least so large: ">=12".
    void at_least(std::uint64_t value) { marked_integer(">=", value); }
    // A number that is about so large: "~12".
    void estimate(std::uint64_t value) { marked_integer("~", value); }
    // For fixed and scientific columns. What rounds to zero is printed without sign, and a value
    // that is no finite number as zero.
    void number(double value);
    // Line ends and other control characters are shown as escapes, so a row stays one line.
    void text(std::string_view value);
    // An empty cell, in a column of any type.
    void blank() { next_cell().width = 0; }

  private:
    friend class TablePrinter;
    struct Cell {
        std::string text;
        std::size_t width = 0;  // in code points
    };
    void clear() { used_ = 0; }
    void marked_integer(const char* mark, std::uint64_t value);
    Cell& next_cell();

    std::span<const Column> columns_;
    std::vector<Cell> cells_;  // kept from row to row, so that their memory is
    std::size_t used_ = 0;
};

// Every row is given to measure() first and, after begin(), once more to print(): the widths must
// be known before the first line, and holding the rows of a million call paths costs too much.
class TablePrinter {
  public:
    TablePrinter(OutputFile& out, TableStyle style, std::span<const Column> columns);
    void measure(TableRow& row);
    void begin();
    void print(TableRow& row);
    void end();

  private:
    void print_rule();
    void print_cell(std::size_t column, std::string_view text, std::size_t left, std::size_t right);

    OutputFile& out_;
    TableStyle style_;
    std::span<const Column> columns_;
    std::vector<std::size_t> widths_;
};

// Prints a table of `rows` rows; `fill(index, row)` is called twice for each and must say the same
// both times.
template <class Fill>
void print_table(OutputFile& out, TableStyle style, std::span<const Column> columns,
                 std::size_t rows, Fill fill) {
    TablePrinter printer(out, style, columns);
    TableRow row(columns);
    for (std::size_t i = 0; i < rows; i++) {
        fill(i, row);
        printer.measure(row);
    }
    printer.begin();
    for (std::size_t i = 0; i < rows; i++) {
        fill(i, row);
        printer.print(row);
    }
    printer.end();
}

}  // namespace vftrace
