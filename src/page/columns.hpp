// Columns of numbers and texts as the report page reads them (doc/design/report-page.md). A column
// of a list has the value of each of its rows; numbers have variable length, so small ones need one
// byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

class PageColumns {
  public:
    using Integer = std::function<std::int64_t(std::size_t)>;
    using Number = std::function<double(std::size_t)>;
    using Text = std::function<std::string_view(std::size_t)>;

    // Each adds the column `name` of `list`, which has `rows` values. Numbers that are not finite
    // become 0; texts are bytes, of which the reader takes what is not UTF-8 for U+FFFD.
    void integers(std::string_view list, std::string_view name, std::size_t rows,
                  const Integer& value);
    void numbers(std::string_view list, std::string_view name, std::size_t rows,
                 const Number& value);
    void texts(std::string_view list, std::string_view name, std::size_t rows, const Text& value);

    // What the columns are: [["paths", "calls", "u", rows, bytes], ...], in the order of bytes().
    std::string directory_json() const;
    const std::string& bytes() const { return bytes_; }

  private:
    enum class Encoding : char {
        zeros = 'z',   // no bytes: all are 0
        plain = 'u',   // varints: seven bits a byte, the lowest first, the top bit if more follow
        zigzag = 'i',  // of 2n, or of -2n - 1 of a negative number
        differences = 'd',  // zigzag, of what a value is more than the one before
        doubles = 'f',      // eight bytes each, the lowest first
        texts = 's'         // the lengths of all as varints, then their bytes
    };
    struct Column {
        std::string list, name;
        Encoding encoding;
        std::size_t rows, bytes;
    };
    void end_column(std::string_view list, std::string_view name, Encoding encoding,
                    std::size_t rows, std::size_t begin);
    void put(std::uint64_t value);

    std::vector<Column> columns_;
    std::string bytes_;
};

}  // namespace vftrace
