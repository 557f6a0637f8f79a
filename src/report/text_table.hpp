// Tables as the text of logs and commands.
#pragma once

#include "base/output_file.hpp"
#include "report/table.hpp"

namespace vftrace {

// What rounds to zero is printed without sign, and line ends and other control characters as
// escapes, so that a row stays one line.
void print_table(OutputFile& out, const TableSpec& spec, std::size_t rows, FillRow fill);

class TextTables final : public TableOutput {
  public:
    explicit TextTables(OutputFile& out) : out_(out) {}

    void table(const TableSpec& spec, std::size_t rows, FillRow fill) override {
        print_table(out_, spec, rows, fill);
    }
    void write(std::string_view text) override { out_.write(text); }

  private:
    OutputFile& out_;
};

}  // namespace vftrace
