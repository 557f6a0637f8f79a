// vftrace_diff_profiles: the tool of Vftrace 2.0, for scripts that call it. The original crashed on
// every log that Vftrace 2.0 itself wrote. `vftrace diff` shows more.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unistd.h>

#include <fmt/core.h>

#include "base/output_file.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "compare/profile_difference.hpp"
#include "readers/json_object.hpp"
#include "report/text_table.hpp"

namespace {

using namespace vftrace;

constexpr const char* usage = "Usage: vftrace_diff_profiles <log file 1> <log file 2>\n";

void print_differences(const std::vector<DifferenceRow>& rows, OutputFile& out) {
    const Column columns[] = {text_column("function", "Function", Align::left),
                              time_column("time_1", "T1[s]"),
                              time_column("time_2", "T2[s]"),
                              time_column("difference", "T_diff[s]"),
                              percent_column("difference_share", "T_diff[%]", 2),
                              count_column("stack_id", "stackID")};
    const TableSpec spec = {.id = "diff", .title = "", .row = "path", .columns = columns};
    print_table(out, spec, rows.size(), [&](std::size_t i, TableRow& cells) {
        const DifferenceRow& row = rows[i];
        const double a = static_cast<double>(row.a.inclusive_ns) / 1e9,
                     b = static_cast<double>(row.b.inclusive_ns) / 1e9;
        cells.text(row.function);
        cells.number(a);
        cells.number(b);
        cells.number(b - a);
        if (const double percent = percent_more(a, b); std::isfinite(percent))
            cells.number(percent);
        else
            cells.blank();
        cells.integer(row.stid);
    });
}

int compare(const char* file_1, const char* file_2) {
    const ComparedPair pair = read_compared_pair(file_1, file_2);
    std::vector<DifferenceRow> rows = profile_difference(pair, DifferenceBy::path);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::abs(a.inclusive_ns()) > std::abs(b.inclusive_ns());
    });
    OutputFile out(STDOUT_FILENO);
    print_differences(rows, out);
    return out.close() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view argument = argc == 2 ? argv[1] : "";
    if (argument == "--help" || argument == "--version") {
        if (argument == "--help")
            fmt::print("{}", usage);
        else
            fmt::print("vftrace {}\n", vftrace::version);
        return std::fflush(stdout) == 0 ? 0 : 1;
    }
    if (argc != 3) {
        fmt::print(stderr, "{}", usage);
        return 1;
    }
    try {
        return compare(argv[1], argv[2]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "vftrace_diff_profiles: {}\n", vftrace::printable(error.what()));
        return 1;
    }
}
