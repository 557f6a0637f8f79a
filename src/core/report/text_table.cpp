// The one table printer of all logs.
#include "report/text_table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

// A list whose last column is wider than this has ragged lines: padding a million short call
// paths to the width of one very deep one would multiply the size of the log.
constexpr std::size_t widest_padded_column = 400;

// Columns of text are not made narrower than this.
constexpr std::size_t narrowest_text = 12;
// Nor than this while there are columns that are 0 in all rows, which are left out first.
constexpr std::size_t readable_text = 30;
// Texts of a column that are compared with each other to choose what is shown of them.
constexpr std::size_t most_names = 10'000;

constexpr std::string_view bold = "\x1b[1m", red = "\x1b[31m", yellow = "\x1b[33m",
                           plain = "\x1b[0m";
constexpr double large_share = 10, notable_share = 2;  // per cent

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

// "28 B", "1.5 KiB", "12.3 us": for tables that people read. Logs have powers of ten.
std::string with_unit(double value, std::string_view unit) {
    struct Step {
        double size;
        const char* prefix;
    };
    static constexpr Step binary[] = {{0x1p60, "Ei"}, {0x1p50, "Pi"}, {0x1p40, "Ti"},
                                      {0x1p30, "Gi"}, {0x1p20, "Mi"}, {0x1p10, "Ki"}};
    static constexpr Step decimal[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    const bool in_bytes = unit.starts_with("B");
    Step step = in_bytes ? Step{1, ""} : decimal[3];
    for (const Step& other : in_bytes ? std::span<const Step>(binary) : decimal)
        if (value >= other.size) {
            step = other;
            break;
        }
    const double scaled = value / step.size;
    std::string text = value == 0 ? "0"
                                  : format("%.*f",
                                           scaled >= 100  ? 0
                                           : scaled >= 10 ? 1
                                                          : 2,
                                           scaled);
    if (text.find('.') != std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    text += ' ';
    text += value == 0 ? "" : step.prefix;
    text += unit;
    return text;
}

std::string_view colour_of(const Cell& cell, const Column& column) {
    if (!column.is_share || cell.kind != Cell::Kind::number || cell.number < notable_share)
        return {};
    return cell.number < large_share ? yellow : red;
}

class TablePrinter {
  public:
    TablePrinter(OutputFile& out, const TableSpec& spec, const TextLook& look)
        : out_(out), style_(spec.style), look_(look), columns_(spec.columns) {
        widths_.reserve(columns_.size());
        has_names_.resize(columns_.size());
        not_zero_.resize(columns_.size());
        names_.resize(columns_.size());
        for (const Column& column : columns_) {
            shown_.push_back(column.in_text);
            widths_.push_back(std::max(count_code_points(header_of(column)), column.min_width));
        }
    }

    // The widths must be known before the first line is printed.
    void measure(const TableRow& row) {
        for_each_cell(row, [&](std::size_t i, std::string_view text) {
            widths_[i] = std::max(widths_[i], count_code_points(text));
            has_names_[i] = has_names_[i] || is_name(text);
            not_zero_[i] =
                not_zero_[i] || columns_[i].type == CellType::text || !looks_like_zero(text);
        });
    }

    // Narrows the widest columns of text until the line fits. A table with a column that keeps its
    // width is wide anyway, and stays as it is.
    void fit() {
        whole_widths_ = widths_;
        if (look_.most_columns == 0 ||
            std::any_of(columns_.begin(), columns_.end(),
                        [](const Column& column) { return column.keeps_width && column.in_text; }))
            return;
        for (std::size_t width = line_width(); width > look_.most_columns; width--) {
            std::size_t widest = columns_.size();
            for (std::size_t i = 0; i < columns_.size(); i++)
                if (can_be_narrower(i) &&
                    (widest == columns_.size() || widths_[i] > widths_[widest]))
                    widest = i;
            if (widest == columns_.size())
                return;
            if (widths_[widest] <= readable_text && leave_out_zeros())
                width = line_width() + 1;
            else
                widths_[widest]--;
        }
    }

    // Notes the texts of the columns that fit() has narrowed; cut_names() then chooses where each
    // is cut, so that those that differ look different. A row in a table too long for people to
    // read is cut in the middle.
    bool has_narrow_columns() const {
        for (std::size_t i = 0; i < columns_.size(); i++)
            if (is_narrow(i))
                return true;
        return false;
    }
    void note_names(const TableRow& row) {
        for_each_cell(row, [&](std::size_t i, std::string_view text) {
            if (is_narrow(i) && names_[i].size() < most_names)
                names_[i].push_back({std::string(text), {}});
        });
    }
    void cut_names() {
        for (std::size_t i = 0; i < columns_.size(); i++) {
            std::vector<CutName>& names = names_[i];
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
            std::vector<std::string_view> whole;
            for (const CutName& name : names)
                whole.push_back(name.whole);
            const std::vector<std::string> cut = shorten_apart(whole, widths_[i]);
            for (std::size_t k = 0; k < names.size(); k++)
                names[k].cut = cut[k];
        }
    }

    // The headers of the columns that fit() has left out, because all their cells are 0.
    std::string left_out() const {
        std::string text;
        for (std::size_t i = 0; i < columns_.size(); i++)
            if (columns_[i].in_text && !shown_[i])
                text += (text.empty() ? "" : ", ") + std::string(header_of(columns_[i]));
        return text;
    }

    void print_header() {
        print_rule();
        for (std::size_t i = 0; i < columns_.size(); i++) {
            if (!shown_[i])
                continue;
            const std::string_view header = header_of(columns_[i]);
            const std::size_t room = widths_[i] - count_code_points(header);
            std::size_t left = room / 2;
            if (style_ == TableStyle::ruled)
                left = (room + 1) / 2;
            if (style_ == TableStyle::list || is_name_to_the_left(i))
                left = is_to_the_left(i) ? 0 : room;
            print_cell(i, header, left, room - left, look_.styled ? bold : std::string_view());
        }
        print_rule();
    }

    void print(const TableRow& row) {
        for_each_cell(row, [&](std::size_t i, std::string_view text) {
            std::string shortened;
            std::size_t length = count_code_points(text);
            if (length > widths_[i]) {
                text = shortened = cut_name(i, text);
                length = widths_[i];
            }
            const std::size_t room = widths_[i] - length;
            const bool to_the_left = is_to_the_left(i);
            print_cell(i, text, to_the_left ? 0 : room, to_the_left ? room : 0,
                       look_.styled ? colour_of(row.cells()[i], columns_[i]) : std::string_view());
        });
    }

    void print_rule() {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); i++) {
            if (!shown_[i])
                continue;
            line += style_ == TableStyle::framed ? '+' : '-';
            line.append(widths_[i] + 2, '-');
        }
        line += style_ == TableStyle::framed ? "+\n" : "-\n";
        out_.write(line);
    }

  private:
    // Numbers of ranks and threads are text, too.
    static bool is_name(std::string_view text) {
        return text.find_first_not_of("0123456789.") != std::string_view::npos;
    }
    // Tables with rules have a layout that is known from other programs.
    bool is_name_to_the_left(std::size_t column) const {
        return look_.names_left && style_ != TableStyle::ruled && has_names_[column] &&
               columns_[column].type == CellType::text;
    }
    bool is_to_the_left(std::size_t column) const {
        return columns_[column].align == Align::left || is_name_to_the_left(column);
    }
    bool can_be_narrower(std::size_t i) const {
        const Column& column = columns_[i];
        const bool is_ragged = style_ == TableStyle::list && i + 1 == columns_.size();
        return shown_[i] && column.type == CellType::text && !is_ragged &&
               widths_[i] > std::max(count_code_points(column.header), narrowest_text);
    }
    // A text of a column, and what is shown of it.
    struct CutName {
        std::string whole, cut;
        bool operator<(const CutName& other) const { return whole < other.whole; }
        bool operator==(const CutName& other) const { return whole == other.whole; }
    };
    std::string cut_name(std::size_t column, std::string_view text) const {
        const std::vector<CutName>& names = names_[column];
        const auto found = std::lower_bound(
            names.begin(), names.end(), text,
            [](const CutName& name, std::string_view whole) { return name.whole < whole; });
        return found != names.end() && found->whole == text ? found->cut
                                                            : shorten_middle(text, widths_[column]);
    }
    bool is_narrow(std::size_t i) const { return shown_[i] && widths_[i] < whole_widths_[i]; }
    std::size_t line_width() const {
        std::size_t width = 1;
        for (std::size_t i = 0; i < columns_.size(); i++)
            width += shown_[i] ? widths_[i] + 3 : 0;
        return width;
    }
    // Rank 0 is a rank.
    static bool is_number_of_something(const Column& column) {
        constexpr std::string_view ends[] = {
            "rank",   "rank_min", "rank_max", "thread", "stack_id", "stid",  "gpu",  "context",
            "stream", "level",    "section",  "region", "run",      "event", "label"};
        return std::any_of(std::begin(ends), std::end(ends),
                           [&](std::string_view end) { return column.id.ends_with(end); });
    }
    // Leaves out the last column of numbers that are all 0. Returns false if there is none.
    bool leave_out_zeros() {
        for (std::size_t i = columns_.size(); i-- > 0;)
            if (shown_[i] && !not_zero_[i] && !is_number_of_something(columns_[i])) {
                shown_[i] = false;
                return true;
            }
        return false;
    }
    // Cells with units do not need them in the header.
    bool has_units(const Column& column) const {
        return look_.names_left && column.type == CellType::scientific &&
               (column.unit == "s" || column.unit.starts_with("B"));
    }
    std::string_view header_of(const Column& column) const {
        return has_units(column) ? column.header.substr(0, column.header.find('[')) : column.header;
    }

    template <class Visit>
    void for_each_cell(const TableRow& row, Visit visit) {
        std::size_t i = 0;
        for (const Cell& cell : row.cells()) {
            if (shown_[i]) {
                if (has_units(columns_[i]) && cell.kind == Cell::Kind::number)
                    text_ = with_unit(cell.number, columns_[i].unit);
                else
                    write_cell(cell, columns_[i], text_);
                visit(i, text_);
            }
            i++;
        }
    }

    // Prints a cell with the blanks around it, the bar or blank before it and, in the last column,
    // what ends the line.
    void print_cell(std::size_t column, std::string_view text, std::size_t left, std::size_t right,
                    std::string_view colour) {
        const char bar = style_ == TableStyle::list ? ' ' : '|';
        const bool last = std::none_of(shown_.begin() + static_cast<std::ptrdiff_t>(column) + 1,
                                       shown_.end(), [](char shown) { return shown != 0; });
        std::string piece{bar, ' '};
        piece.append(left, ' ');
        piece += colour;
        piece += text;
        if (!colour.empty())
            piece += plain;
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
    TextLook look_;
    std::span<const Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<std::size_t> whole_widths_;  // before fit()
    std::vector<std::vector<CutName>>
        names_;                    // by column, if it is narrowed; sorted by cut_names()
    std::vector<char> has_names_;  // by column: whether a cell is more than a number
    std::vector<char> not_zero_;   // by column: whether a cell is something else than 0
    std::vector<char> shown_;      // by column
    std::string text_;             // of one cell
};

}  // namespace

void print_table(OutputFile& out, const TableSpec& spec, std::size_t rows, FillRow fill,
                 const TextLook& look) {
    if (std::none_of(spec.columns.begin(), spec.columns.end(),
                     [](const Column& column) { return column.in_text; }))
        return;  // text shows all of it in another way
    const auto title = [&](std::string_view text) {
        return look.styled ? std::string(bold) + std::string(text) + std::string(plain)
                           : std::string(text);
    };
    if (!spec.title.empty())
        out.write(title(printable_lines(spec.title)) + '\n');
    out.write(printable_lines(spec.intro));
    TablePrinter printer(out, spec, look);
    TableRow row;
    const auto filled = [&](std::size_t i) -> const TableRow& {
        row.clear();
        fill(i, row);
        return row;
    };
    for (std::size_t i = 0; i < rows; i++)
        printer.measure(filled(i));
    printer.fit();
    if (printer.has_narrow_columns()) {
        for (std::size_t i = 0; i < rows; i++)
            printer.note_names(filled(i));
        printer.cut_names();
    }
    printer.print_header();
    for (std::size_t i = 0; i < rows; i++)
        printer.print(filled(i));
    printer.print_rule();
    if (const std::string columns = printer.left_out(); !columns.empty())
        out.write("(not shown, because it is 0 in all rows: " + columns + ")\n");
}

}  // namespace vftrace
