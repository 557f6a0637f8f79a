// Tables on a command's standard output, in the requested format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.hpp"
#include "base/output_file.hpp"
#include "report/table.hpp"
#include "report/text_look.hpp"

namespace vftrace::tools {

// Has `write` give its tables to the format "text", "csv" or "json". The file is for what writes
// text other than tables. Throws CommandError if the descriptor cannot be written to.
void print_in_format(std::string_view format, int descriptor,
                     FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look = {});

// The same as text on standard output, in a pager where that is a terminal that it is too long for.
void print_in_pager(FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look);

// Hands on the tables of these ids, of all that `write` gives. Throws CommandError for one that is
// not among them, before anything is printed; `what` has them: "profile".
void write_tables_named(const std::vector<std::string>& ids, const char* what,
                        FunctionRef<void(TableOutput&)> write, TableOutput& out);

}  // namespace vftrace::tools
