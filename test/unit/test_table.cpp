// The table printer: layout character by character, and names that try to break it.
#include <catch2/catch.hpp>

#include <clocale>
#include <limits>

#include "base/json_string.hpp"
#include "base/utf8.hpp"
#include "report/text_table.hpp"
#include "written_text.hpp"

using namespace vftrace;
using vftrace::test::written_text;

namespace {

std::string table_of_names(TableStyle style, const std::vector<std::string>& names) {
    const Column columns[] = {count_column("calls", "Calls"), text_column("name", "Name")};
    return written_text([&](OutputFile& out) {
        print_table(out, {.columns = columns, .style = style}, names.size(),
                    [&](std::size_t i, TableRow& row) {
                        row.integer(i);
                        row.text(names[i]);
                    });
    });
}

std::string number_cell(const Column& column, double value) {
    const std::string table = written_text([&](OutputFile& out) {
        print_table(out, {.columns = {&column, 1}, .style = TableStyle::list}, 1,
                    [&](std::size_t, TableRow& row) { row.number(value); });
    });
    // rule, header, rule, the cell between two blanks each
    std::size_t line = 0;
    for (int i = 0; i < 3; i++)
        line = table.find('\n', line) + 1;
    std::string cell = table.substr(line, table.find('\n', line) - line);
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    return cell;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("a framed table centres its headers, the extra blank at the right") {
    const Column columns[] = {count_column("calls", "Calls"), time_column("time", "t_excl[s]"),
                              text_column("function", "Function"),
                              text_column("stids", "STIDs", Align::left)};
    CHECK(written_text([&](OutputFile& out) {
              print_table(out, {.columns = columns}, 2, [](std::size_t i, TableRow& row) {
                  row.integer(i == 0 ? 3 : 123456);
                  row.number(i == 0 ? 0.0889 : 12.5);
                  row.text(i == 0 ? "spin" : "my region");
                  row.text(i == 0 ? "1,5,..." : "7");
              });
          }) == "+--------+-----------+-----------+---------+\n"
                "| Calls  | t_excl[s] | Function  |  STIDs  |\n"
                "+--------+-----------+-----------+---------+\n"
                "|      3 |     0.089 |      spin | 1,5,... |\n"
                "| 123456 |    12.500 | my region | 7       |\n"
                "+--------+-----------+-----------+---------+\n");
}

TEST_CASE("a list does not have a frame, and its headers are above the values") {
    const Column columns[] = {text_column("stid", "STID"),
                              text_column("stack", "Call stack", Align::left)};
    CHECK(written_text([&](OutputFile& out) {
              print_table(out, {.columns = columns, .style = TableStyle::list}, 2,
                          [](std::size_t i, TableRow& row) {
                              row.text(i == 0 ? "STID0" : "STID11");
                              row.text(i == 0 ? "mid<main<init" : "spin<leaf<my region<main<init");
                          });
          }) == "------------------------------------------\n"
                "    STID   Call stack                     \n"
                "------------------------------------------\n"
                "   STID0   mid<main<init                  \n"
                "  STID11   spin<leaf<my region<main<init  \n"
                "------------------------------------------\n");
}

TEST_CASE("a table without rows is its header") {
    CHECK(table_of_names(TableStyle::framed, {}) == "+-------+------+\n"
                                                    "| Calls | Name |\n"
                                                    "+-------+------+\n"
                                                    "+-------+------+\n");
}

TEST_CASE("no name breaks the lines of a table") {
    const std::vector<std::string> names = {
        "two\nlines",      "tab\there",    "\x1b[31mred",          "",        "Grüße",
        "\xff\xfe broken", "cut \xe2\x82", std::string("a\0b", 3), "\xc2\x85"};
    for (TableStyle style : {TableStyle::framed, TableStyle::list}) {
        const std::vector<std::string> lines = lines_of(table_of_names(style, names));
        REQUIRE(lines.size() == names.size() + 4);
        for (const std::string& line : lines) {
            CHECK(count_code_points(line) == count_code_points(lines.front()));
            CHECK(line.find('\x1b') == std::string::npos);
            CHECK(line.find('\0') == std::string::npos);
        }
    }
    CHECK(printable("two\nlines\x1b\x7f\xc2\x85\xff") ==
          "two\\nlines\\x1b\\x7f\\u0085\xEF\xBF\xBD");
    CHECK(printable("\u202edetrevni\u2066\u200f\u061c\u2028") ==
          "\\u202edetrevni\\u2066\\u200f\\u061c\\u2028");
    CHECK(printable_lines("a\x1b\nb\r\n\u202e") == "a\\x1b\nb\\r\n\\u202e");
    CHECK(json_string("\x1b\x7f\u009b\u202e\"\u00fc") ==
          "\"\\u001b\\u007f\\u009b\\u202e\\\"\u00fc\"");
}

TEST_CASE("text is made printable in its place") {
    const auto made = [](std::string text, std::size_t room) {
        const std::size_t length = text.size();
        text.resize(room);
        text.resize(make_printable(text.data(), length, room));
        return text;
    };
    CHECK(made("plain\n\ttext", 11) == "plain\n\ttext");
    CHECK(made("\x1b[31m\u202e\xff!", 40) == "\\x1b[31m\\u202e\xEF\xBF\xBD!");
    CHECK(made("ab\x1b", 6) == "ab\\x1b");
    CHECK(made("ab\x1b", 5) == "ab");  // the escape does not fit
    CHECK(made("\x1b"
               "bcdef",
               7) == "\\x1b"
                     "bcd");
    CHECK(made("\x1b\x1b\x1b", 9) == "\\x1b\\x1b");
    CHECK(made("", 0).empty());
}

TEST_CASE("wrapped text") {
    CHECK(wrapped("", 4, 10) == "");
    CHECK(wrapped("one two three", 4, 11) == "one two\n    three");
    CHECK(wrapped("one two three", 4, 10) == "one\n    two\n    three");
    CHECK(wrapped("extraordinary word", 2, 6) == "extraordinary\n  word");
    CHECK(wrapped("Grüße an", 0, 8) == "Grüße an");
}

TEST_CASE("code points are counted, broken bytes one by one") {
    CHECK(count_code_points("") == 0);
    CHECK(count_code_points("Grüße") == 5);
    CHECK(count_code_points("\xF0\x9F\x98\x80") == 1);
    CHECK(count_code_points("\xE2\x82") == 2);          // cut off
    CHECK(count_code_points("\xC0\x80") == 2);          // overlong
    CHECK(count_code_points("\xE0\x80\x80") == 3);      // overlong
    CHECK(count_code_points("\xED\xA0\x80") == 3);      // a surrogate
    CHECK(count_code_points("\xF4\x90\x80\x80") == 4);  // past U+10FFFF
}

TEST_CASE("all numbers keep their format") {
    const Column fixed = time_column("x", "x");
    const Column scientific{"x", "x", "", CellType::scientific, 3};
    CHECK(number_cell(fixed, 0.0005001) == "0.001");
    CHECK(number_cell(fixed, -0.0001) == "0.000");
    CHECK(number_cell(fixed, -0.0) == "0.000");
    CHECK(number_cell(fixed, -0.01) == "-0.010");
    CHECK(number_cell(fixed, std::numeric_limits<double>::quiet_NaN()) == "0.000");
    CHECK(number_cell(fixed, std::numeric_limits<double>::infinity()) == "0.000");
    CHECK(number_cell(fixed, 1e15) == "1000000000000000.000");
    CHECK(number_cell(scientific, 65270.0) == "6.527e+04");
    CHECK(number_cell(scientific, -0.0) == "0.000e+00");
    CHECK(number_cell(scientific, -1e-11) == "-1.000e-11");
}

TEST_CASE("counts are printed in 64 bits") {
    const Column column = count_column("calls", "Calls");
    CHECK(written_text([&](OutputFile& out) {
              print_table(out, {.columns = {&column, 1}}, 1, [](std::size_t, TableRow& row) {
                  row.integer(std::numeric_limits<std::uint64_t>::max());
              });
          }).find("| 18446744073709551615 |\n") != std::string::npos);
}

TEST_CASE("one very long line does not pad all others") {
    const Column column = text_column("name", "Name", Align::left);
    const std::string text = written_text([&](OutputFile& out) {
        print_table(out, {.columns = {&column, 1}, .style = TableStyle::list}, 3,
                    [](std::size_t i, TableRow& row) {
                        row.text(i == 1 ? std::string(100'000, 'x') : "short");
                    });
    });
    const std::vector<std::string> lines = lines_of(text);
    CHECK(lines[3] == "  short");
    CHECK(lines[5] == "  short");
}
