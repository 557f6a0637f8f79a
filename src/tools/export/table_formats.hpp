// Tables of a profile for other programs: as CSV and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.hpp"
#include "profile/json_writer.hpp"
#include "report/table.hpp"

namespace vftrace {

// Comma-separated values (RFC 4180): a line with the ids of the columns and their units
// ("time_excl[s]"), then a line for each row. Numbers have all their digits; numbers of calls that
// are estimates begin with ~, lower bounds with >=. Tables are separated by an empty line.
class CsvTables final : public TableOutput {
  public:
    explicit CsvTables(OutputFile& out) : out_(out) {}
    void table(const TableSpec& spec, std::size_t rows, FillRow fill) override;
    void write(std::string_view) override {}

  private:
    OutputFile& out_;
    bool first_ = true;
};

// One document, {"tables": [{"id", "title", "row", "sorted_by", "columns", "rows"}]}, with the
// layout that doc/tables.md describes.
class JsonTables final : public TableOutput {
  public:
    explicit JsonTables(OutputFile& out) : json_(out) {}
    void table(const TableSpec& spec, std::size_t rows, FillRow fill) override;
    void write(std::string_view) override {}
    // Ends the document.
    void end();

  private:
    void begin();

    JsonWriter json_;
    bool has_begun_ = false;
};

// Passes on the tables with these ids.
class SelectedTables final : public TableOutput {
  public:
    SelectedTables(const std::vector<std::string>& ids, TableOutput& out) : ids_(ids), out_(out) {}
    void table(const TableSpec& spec, std::size_t rows, FillRow fill) override;
    void write(std::string_view) override {}

    // The ids of all tables that were written to this.
    const std::vector<std::string>& seen() const { return seen_; }

  private:
    const std::vector<std::string>& ids_;
    TableOutput& out_;
    std::vector<std::string> seen_;
};

}  // namespace vftrace
