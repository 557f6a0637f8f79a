// A growing text, and JSON in it.
#ifndef VFTRACE_TAINT_RUNTIME_JSON_TEXT_HPP
#define VFTRACE_TAINT_RUNTIME_JSON_TEXT_HPP

#include <cstdint>

#include "taint/runtime/memory.hpp"

namespace vftrace::taint {

class JsonText {
  public:
    JsonText& add(const char* text);
    JsonText& add_number(std::uint64_t number);
    // In quotes; bytes that are not UTF-8 become U+FFFD.
    JsonText& add_string(const char* text);
    // A comma if there are previous items in this list or object.
    JsonText& separate();
    JsonText& key(const char* name);

    // NUL-terminated; valid until more is added.
    const char* c_str();
    std::size_t size() const { return bytes.size; }
    void cut(std::size_t new_size) { bytes.size = new_size; }
    bool write_to(const char* path) const;

  private:
    Array<char> bytes;
};

}  // namespace vftrace::taint

#endif
