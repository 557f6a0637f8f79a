// Columns of numbers and texts as the report page reads them (doc/design/report-page.md). A column
// of a list has a value for each of its rows. Numbers have a variable length, so small ones need
// one byte.
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
    // become 0. Texts are bytes; the reader replaces what is not UTF-8 by U+FFFD.
    void integers(std::string_view list, std::string_view name, std::size_t rows,
                  const Integer& value);
    void numbers(std::string_view list, std::string_view name, std::size_t rows,
                 const Number& value);
    void texts(std::string_view list, std::string_view name, std::size_t rows, const Text& value);

    // A description of the columns: [["paths", "calls", "u", rows, bytes], ...], in the order of
    // bytes().
    std::string directory_json() const;
    const std::string& bytes() const { return bytes_; }

  private:
    enum class Encoding : char {
        zeros = 'z',        // no bytes: all values are 0
        plain = 'u',        // varints: seven bits per byte, lowest first, top bit if more follow
        zigzag = 'i',       // varints of 2n, or of -2n - 1 if n is negative
        differences = 'd',  // zigzag, of the difference from the previous value
        doubles = 'f',      // eight bytes each, lowest first
        texts = 's'         // all lengths as varints, then the bytes
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
