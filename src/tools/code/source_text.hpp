// The text of source files, as far as they can be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vftrace {

class SourceFiles {
  public:
    // Files that were written after `newest_unix_ns` may not be those that were compiled: they
    // count as unknown, and are named by changed(). 0: all files are read.
    explicit SourceFiles(std::int64_t newest_unix_ns = 0) : newest_unix_ns_(newest_unix_ns) {}

    // Line `line`, from 1, of a file; "" if it is not known.
    const std::string& line(const std::string& file, std::uint32_t line);

    // Whether the text of a file is known.
    bool has(const std::string& file) { return !lines_of(file).empty(); }

    const std::vector<std::string>& changed() const { return changed_; }

  private:
    const std::vector<std::string>& lines_of(const std::string& file);
    std::vector<std::string> read(const std::string& file);

    std::int64_t newest_unix_ns_;
    std::map<std::string, std::vector<std::string>> files_;
    std::vector<std::string> changed_;
};

}  // namespace vftrace
