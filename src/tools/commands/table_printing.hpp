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

// Has `write` write its tables in the format "text", "csv" or "json". The file is for text other
// than tables. Throws CommandError if the descriptor cannot be written to.
void print_in_format(std::string_view format, int descriptor,
                     FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look = {});

// The same as text on standard output, in a pager if that is a terminal and the text is too long
// for it.
void print_in_pager(FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look);

// Closes the output of a command. Throws CommandError if something could not be written.
void close_output(OutputFile& out);

// Passes on the tables with these ids, of all that `write` writes. Throws CommandError for an id
// that is not among them, before anything is printed; `what` is the owner of the tables: "profile".
void write_tables_named(const std::vector<std::string>& ids, const char* what,
                        FunctionRef<void(TableOutput&)> write, TableOutput& out);

}  // namespace vftrace::tools
