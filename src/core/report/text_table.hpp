// Tables as the text of logs and commands.
#pragma once

#include "base/output_file.hpp"
#include "report/table.hpp"
#include "report/text_look.hpp"

namespace vftrace {

// What rounds to zero is printed without a sign, and line ends and other control characters as
// escapes, so that a row stays one line.
void print_table(OutputFile& out, const TableSpec& spec, std::size_t rows, FillRow fill,
                 const TextLook& look = {});

class TextTables final : public TableOutput {
  public:
    explicit TextTables(OutputFile& out, const TextLook& look = {}) : out_(out), look_(look) {}

    void table(const TableSpec& spec, std::size_t rows, FillRow fill) override {
        print_table(out_, spec, rows, fill, look_);
    }
    void write(std::string_view text) override { out_.write(text); }

  private:
    OutputFile& out_;
    TextLook look_;
};

}  // namespace vftrace
