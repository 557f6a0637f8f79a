// Writes JSON front to back.
#include "profile/json_writer.hpp"

#include <cmath>
#include <cstdlib>

#include "base/utf8.hpp"

namespace vftrace {
namespace {

bool is_plain(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 &&
           c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        append_format(out, "\\u%04x", static_cast<unsigned char>(c));
    }
}

}  // namespace

void JsonWriter::begin(char bracket, Layout layout) {
    before_value();
    out_.write({&bracket, 1});
    levels_.push_back({layout, true});
}

void JsonWriter::end(char bracket) {
    Level level = levels_.back();
    levels_.pop_back();
    if (level.layout == Layout::lines && !level.empty)
        new_line();
    out_.write({&bracket, 1});
    if (levels_.empty())
        out_.write("\n");
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    write_quoted(name);
    out_.write(": ");
    after_key_ = true;
    return *this;
}

void JsonWriter::string(std::string_view value) {
    before_value();
    write_quoted(value);
}

void JsonWriter::integer(std::int64_t value) {
    before_value();
    out_.print("%lld", static_cast<long long>(value));
}

void JsonWriter::unsigned_integer(std::uint64_t value) {
    before_value();
    out_.print("%llu", static_cast<unsigned long long>(value));
}

void JsonWriter::number(double value) {
    if (!std::isfinite(value))
        return null();
    before_value();
    std::string text;
    for (int digits = 15; digits <= 17; digits++) {
        text = format("%.*g", digits, value);
        if (std::strtod(text.c_str(), nullptr) == value)
            break;
    }
    out_.write(text);
}

void JsonWriter::null() { raw("null"); }

void JsonWriter::raw(std::string_view json) {
    before_value();
    out_.write(json);
}

void JsonWriter::before_value() {
    if (after_key_)
        after_key_ = false;
    else
        separate();
}

void JsonWriter::separate() {
    if (levels_.empty())
        return;
    Level& level = levels_.back();
    if (!level.empty)
        out_.write(level.layout == Layout::lines ? "," : ", ");
    level.empty = false;
    if (level.layout == Layout::lines)
        new_line();
}

void JsonWriter::new_line() {
    out_.write("\n");
    for (std::size_t i = 0; i < levels_.size(); i++)
        out_.write("  ");
}

void JsonWriter::write_quoted(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        CodePoint point = first_code_point(text);
        if (is_plain(text.front()))
            quoted += text.front();
        else if (!point.valid)
            quoted += replacement_character;
        else if (point.bytes == 1)
            append_escaped(quoted, text.front());
        else
            quoted += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    quoted += '"';
    out_.write(quoted);
}

}  // namespace vftrace
