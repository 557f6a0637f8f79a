// Histories as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "base/output_file.hpp"
#include "history/run_history.hpp"
#include "report/table.hpp"

namespace vftrace {

struct HistoryLook {
    std::size_t most_runs = 20;  // in the table, the latest
    std::size_t columns = 60;    // of a plot
    bool blocks = false;         // the terminal shows block characters; otherwise only ASCII
};

void write_history(const RunHistory& history, const HistoryLook& look, TableOutput& out);
void write_history(const RunHistory& history, const FunctionHistory& function,
                   const HistoryLook& look, TableOutput& out);
void write_history_json(const RunHistory& history, OutputFile& out);
void write_history_json(const RunHistory& history, const FunctionHistory& function,
                        OutputFile& out);

// "2026-11-29 18:05", in UTC.
std::string moment_text(std::int64_t unix_ns);

// A value for each column: the means of consecutive values, from the smallest (lowest) to the
// largest one.
std::string plot_of(const std::vector<double>& values, const HistoryLook& look);

}  // namespace vftrace
