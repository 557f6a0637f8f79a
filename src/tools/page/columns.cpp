#include "page/columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/output_file.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// Wraps around if the difference of two numbers has more than 64 bits; so does the reader.
constexpr std::int64_t difference(std::int64_t value, std::int64_t previous) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) -
                                     static_cast<std::uint64_t>(previous));
}

constexpr std::size_t length(std::uint64_t value) {
    return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

// A double represents whole numbers up to this one exactly.
constexpr double exact_limit = 9007199254740992.0;

bool is_whole(double value) {
    return std::isfinite(value) && std::abs(value) <= exact_limit && value == std::trunc(value);
}

}  // namespace

void PageColumns::put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        bytes_ += static_cast<char>(0x80 | (value & 0x7f));
    bytes_ += static_cast<char>(value);
}

void PageColumns::end_column(std::string_view list, std::string_view name, Encoding encoding,
                             std::size_t rows, std::size_t begin) {
    columns_.push_back(
        {std::string(list), std::string(name), encoding, rows, bytes_.size() - begin});
}

void PageColumns::integers(std::string_view list, std::string_view name, std::size_t rows,
                           const Integer& value) {
    std::size_t plain = 0, differences = 0;
    bool negative = false, zero = true;
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < rows; i++) {
        const std::int64_t now = value(i);
        negative |= now < 0;
        zero &= now == 0;
        plain += length(static_cast<std::uint64_t>(now));
        differences += length(zigzag(difference(now, previous)));
        previous = now;
    }
    const Encoding encoding = zero                  ? Encoding::zeros
                              : differences < plain ? Encoding::differences
                              : negative            ? Encoding::zigzag
                                                    : Encoding::plain;
    const std::size_t begin = bytes_.size();
    previous = 0;
    for (std::size_t i = 0; i < rows && encoding != Encoding::zeros; i++) {
        const std::int64_t now = value(i);
        put(encoding == Encoding::plain    ? static_cast<std::uint64_t>(now)
            : encoding == Encoding::zigzag ? zigzag(now)
                                           : zigzag(difference(now, previous)));
        previous = now;
    }
    end_column(list, name, encoding, rows, begin);
}

void PageColumns::numbers(std::string_view list, std::string_view name, std::size_t rows,
                          const Number& value) {
    bool whole = true;
    for (std::size_t i = 0; i < rows && whole; i++)
        whole = is_whole(value(i)) || !std::isfinite(value(i));
    if (whole) {
        integers(list, name, rows, [&](std::size_t i) {
            const double number = value(i);
            return std::isfinite(number) ? static_cast<std::int64_t>(number) : 0;
        });
        return;
    }
    const std::size_t begin = bytes_.size();
    for (std::size_t i = 0; i < rows; i++) {
        const double number = value(i);
        auto bits = std::bit_cast<std::uint64_t>(std::isfinite(number) ? number : 0.0);
        for (int byte = 0; byte < 8; byte++, bits >>= 8)
            bytes_ += static_cast<char>(bits & 0xff);
    }
    end_column(list, name, Encoding::doubles, rows, begin);
}

void PageColumns::texts(std::string_view list, std::string_view name, std::size_t rows,
                        const Text& value) {
    bool empty = true;
    for (std::size_t i = 0; i < rows && empty; i++)
        empty = value(i).empty();
    const std::size_t begin = bytes_.size();
    if (!empty) {
        std::string all;
        for (std::size_t i = 0; i < rows; i++) {
            const std::string_view text = value(i);
            put(text.size());
            all += text;
        }
        bytes_ += all;
    }
    end_column(list, name, Encoding::texts, rows, begin);
}

std::string PageColumns::directory_json() const {
    std::string text;
    OutputFile out(text);
    JsonWriter json(out);
    json.begin_array();
    for (const Column& column : columns_) {
        json.begin_array(JsonWriter::Layout::compact);
        json.string(column.list);
        json.string(column.name);
        json.string({reinterpret_cast<const char*>(&column.encoding), 1});
        json.unsigned_integer(column.rows);
        json.unsigned_integer(column.bytes);
        json.end_array();
    }
    json.end_array();
    out.close();
    return text;
}

}  // namespace vftrace
