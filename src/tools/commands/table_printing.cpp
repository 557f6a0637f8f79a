#include "commands/table_printing.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/terminal.hpp"
#include "export/table_formats.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

void write_text(OutputFile& out, FunctionRef<void(OutputFile&, TableOutput&)> write,
                const TextLook& look) {
    out.leave_out_trailing_blanks();  // the lists of logs have them, as in Vftrace 2.0
    TextTables tables(out, look);
    write(out, tables);
}

}  // namespace

void close_output(OutputFile& out) {
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
}

void print_in_format(std::string_view format, int descriptor,
                     FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look) {
    OutputFile out(descriptor);
    if (format == "json") {
        JsonTables tables(out);
        write(out, tables);
        tables.end();
    } else if (format == "csv") {
        CsvTables tables(out);
        write(out, tables);
    } else {
        write_text(out, write, look);
    }
    close_output(out);
}

void print_in_pager(FunctionRef<void(OutputFile&, TableOutput&)> write, const TextLook& look) {
    std::string text;
    OutputFile whole(text);
    write_text(whole, write, look);
    close_output(whole);
    if (show_in_pager(text))
        return;
    OutputFile out(STDOUT_FILENO);
    out.write(text);
    close_output(out);
}

void write_tables_named(const std::vector<std::string>& ids, const char* what,
                        FunctionRef<void(TableOutput&)> write, TableOutput& out) {
    const std::vector<std::string> none;
    SelectedTables known(none, out), selected(ids, out);
    write(known);
    for (const std::string& id : ids)
        if (std::find(known.seen().begin(), known.seen().end(), id) == known.seen().end())
            throw CommandError(fmt::format("this {} does not have a table \"{}\"; it has {}", what,
                                           id, joined(known.seen(), ", ")));
    write(selected);
}

}  // namespace vftrace::tools
