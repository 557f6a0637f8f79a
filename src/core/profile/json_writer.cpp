#include "profile/json_writer.hpp"

#include <cmath>

#include "base/json_string.hpp"
#include "base/text.hpp"

namespace vftrace {

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
    out_.write(json_string(name));
    out_.write(": ");
    after_key_ = true;
    return *this;
}

void JsonWriter::string(std::string_view value) {
    before_value();
    out_.write(json_string(value));
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
    out_.write(number_text(value));
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

}  // namespace vftrace
