// Writes JSON front to back: bounded memory, whatever the size of the document.
//
// The caller provides keys and values in a valid order; the writer adds commas, line ends and
// escapes. Numbers are independent of the program's locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.hpp"
#include "base/text.hpp"

namespace vftrace {

class JsonWriter {
  public:
    // How the members of an object or array are laid out; compact means on one line.
    enum class Layout : std::uint8_t { lines, compact };

    explicit JsonWriter(OutputFile& out) : out_(out) {}

    void begin_object(Layout layout = Layout::lines) { begin('{', layout); }
    void end_object() { end('}'); }
    void begin_array(Layout layout = Layout::lines) { begin('[', layout); }
    void end_array() { end(']'); }

    // The key of the next value in an object: json.key("calls").integer(3).
    JsonWriter& key(std::string_view name);

    // Bytes that are not UTF-8 become U+FFFD.
    void string(std::string_view value);
    void integer(std::int64_t value);
    void unsigned_integer(std::uint64_t value);
    // As short as possible while reading back as the same double; null if it is not finite.
    void number(double value);
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void null();
    // `json` is already JSON; it is written unchanged.
    void raw(std::string_view json);

  private:
    struct Level {
        Layout layout;
        bool empty;
    };
    void begin(char bracket, Layout layout);
    void end(char bracket);
    void before_value();
    void separate();
    void new_line();

    OutputFile& out_;
    CLocale c_locale_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace vftrace
