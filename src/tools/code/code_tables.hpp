// Tables of loops, and of one function's source lines and instructions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "code/function_loops.hpp"
#include "code/instructions.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// The parameters on which a loop depends, as text.
using ParametersOfLoop = std::function<std::string(const SourceLoop&)>;

// One row for each function, and below it one for each of its loops. `total_ns`: time of the whole
// profile. `parameters`: for a column with these; empty: no such column.
void write_loop_table(const std::vector<AnnotatedFunction>& functions, double total_ns,
                      const ReportOptions& options, TableOutput& out,
                      const ParametersOfLoop& parameters = {});

// The lines of the function, of its own source and of inlined functions, each file from the first
// to the last line that has code. `own_only`: only lines with code.
void write_annotated_source(const AnnotatedFunction& function, SourceFiles& sources, bool own_only,
                            TableOutput& out);

// All instructions.
void write_annotated_instructions(const AnnotatedFunction& function, Syntax syntax,
                                  TableOutput& out);

}  // namespace vftrace
