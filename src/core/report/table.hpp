// A table independent of its output format: columns, rows, and the output that receives them. Logs
// turn it into text (text_table.hpp), `vftrace report` also into CSV and JSON.
//
//     const Column columns[] = {count_column("calls", "Calls"), function_column};
//     const TableSpec spec = {.id = "profile", .title = "Runtime profile", .columns = columns};
//     out.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
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

#include "base/function_ref.hpp"

namespace vftrace {

enum class CellType : std::uint8_t { text, integer, fixed, scientific };
enum class Align : std::uint8_t { right, left };

struct Column {
    std::string_view id;         // unique in the table, and the same in every version
    std::string_view header;     // in text: "t_excl[s]"
    std::string_view unit = "";  // "s", "B", "%"; "": none
    CellType type = CellType::text;
    int decimals = 0;  // of fixed and scientific numbers, in text
    Align align = Align::right;
    std::size_t min_width = 0;  // in text
    bool in_text = true;        // else only in CSV and JSON
    bool is_share = false;      // in per cent; large ones are coloured if text has colours
    bool keeps_width = false;   // never shortened in text
};

constexpr Column text_column(std::string_view id, std::string_view header,
                             Align align = Align::right) {
    return {.id = id, .header = header, .align = align};
}
constexpr Column count_column(std::string_view id, std::string_view header,
                              std::string_view unit = "") {
    return {.id = id, .header = header, .unit = unit, .type = CellType::integer};
}
constexpr Column number_column(std::string_view id, std::string_view header, std::string_view unit,
                               int decimals) {
    return {
        .id = id, .header = header, .unit = unit, .type = CellType::fixed, .decimals = decimals};
}
// In CSV and JSON only: text shows it in another way, such as by indentation.
constexpr Column for_scripts(Column column) {
    column.in_text = false;
    return column;
}
constexpr Column time_column(std::string_view id, std::string_view header, int decimals = 3) {
    return number_column(id, header, "s", decimals);
}
constexpr Column percent_column(std::string_view id, std::string_view header, int decimals = 1) {
    return number_column(id, header, "%", decimals);
}

// A share of the whole, which text may colour.
constexpr Column share_of_whole_column(std::string_view id, std::string_view header) {
    Column column = percent_column(id, header);
    column.is_share = true;
    return column;
}

enum class TableStyle : std::uint8_t {
    framed,  // +---+ and | around every cell, headers centred
    ruled,   // the same with rules of '-' only, headers shifted to the right
    list     // blanks between the columns, rules of '-', headers aligned like their values
};

struct TableSpec {
    std::string_view id;          // unique among the tables of a profile
    std::string_view title;       // "": none
    std::string_view intro = "";  // whole lines of text between title and table
    std::string_view row;         // what a row stands for: "path", "function", "rank", ...
    std::span<const Column> columns;
    std::string_view sorted_by = "";  // id of a column; "": another order
    bool ascending = false;
    TableStyle style = TableStyle::framed;
};

// The cells of one row, filled from left to right; one function for each CellType, which must be
// the type of the column.
class TableRow {
  public:
    enum class Mark : std::uint8_t { exact, at_least, estimate };
    struct Cell {
        enum class Kind : std::uint8_t { blank, integer, number, text };
        Kind kind = Kind::blank;
        Mark mark = Mark::exact;  // of integers
        std::uint64_t integer = 0;
        double number = 0.0;  // finite
        std::string text;
    };

    void integer(std::uint64_t value) { add_integer(value, Mark::exact); }
    void at_least(std::uint64_t value) { add_integer(value, Mark::at_least); }
    void estimate(std::uint64_t value) { add_integer(value, Mark::estimate); }
    // For fixed and scientific columns. A value that is not a finite number becomes zero.
    void number(double value);
    void text(std::string_view value);
    // An empty cell, in a column of any type.
    void blank() { next_cell(Cell::Kind::blank); }

    std::span<const Cell> cells() const { return {cells_.data(), used_}; }
    void clear() { used_ = 0; }

  private:
    void add_integer(std::uint64_t value, Mark mark);
    Cell& next_cell(Cell::Kind kind);

    std::vector<Cell> cells_;  // kept from row to row to reuse their memory
    std::size_t used_ = 0;
};

using FillRow = FunctionRef<void(std::size_t, TableRow&)>;

// Receives tables and the text around them.
class TableOutput {
  public:
    // `fill(index, row)` may be called more than once for a row, and must give the same result each
    // time: holding the rows of a million call paths would cost too much.
    virtual void table(const TableSpec& spec, std::size_t rows, FillRow fill) = 0;
    // Text for people, such as remarks below a table.
    virtual void write(std::string_view text) = 0;
    [[gnu::format(printf, 2, 3)]] void print(const char* pattern, ...);

  protected:
    ~TableOutput() = default;
};

}  // namespace vftrace
