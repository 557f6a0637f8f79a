// Numbers and strings that a C++ program reads from a stream have the labels of the characters that
// they were read from. Linked to programs that do that.
#include <cstddef>
#include <istream>
#include <streambuf>
#include <string>

#include "taint/runtime/sanitizer.hpp"

namespace {

using vftrace::taint::label_at;

// Where the stream is in its buffer; the buffer of a string stream holds all of its text.
class Position {
  public:
    explicit Position(std::istream& stream)
        : buffer(stream.rdbuf()), start(buffer ? (buffer->*&Open::eback)() : nullptr),
          before(here()) {}

    const char* here() const { return buffer ? (buffer->*&Open::gptr)() : nullptr; }
    // The characters that were read since; none if the buffer has been replaced.
    const char* begin() const { return before; }
    std::size_t size() const {
        const char* now = here();
        return before && now > before && (buffer->*&Open::eback)() == start
                   ? static_cast<std::size_t>(now - before)
                   : 0;
    }

  private:
    struct Open : std::streambuf {
        using std::streambuf::eback;
        using std::streambuf::gptr;
    };
    std::streambuf* buffer;
    const char* start;
    const char* before;
};

template <typename Number>
std::istream* extract(std::istream* stream, Number* number, Label* result) {
    *result = 0;
    const Position position(*stream);
    *stream >> *number;
    dfsan_set_label(label_at(position.begin(), position.size()), number, sizeof *number);
    return stream;
}

// A string was made from the first or the last of the characters that were read.
void label_string(const Position& position, std::string& text, bool last) {
    const std::size_t read = position.size();
    if (text.size() > read || text.empty())
        return;
    dfsan_mem_shadow_transfer(text.data(), position.begin() + (last ? read - text.size() : 0),
                              text.size());
}

}  // namespace

extern "C" {

#define VFTRACE_EXTRACT(letter, type)                                                              \
    std::istream* __dfsw__ZNSirsER##letter(std::istream* stream, type* number, Label, Label,       \
                                           Label* result) {                                        \
        return extract(stream, number, result);                                                    \
    }
VFTRACE_EXTRACT(s, short)
VFTRACE_EXTRACT(t, unsigned short)
VFTRACE_EXTRACT(i, int)
VFTRACE_EXTRACT(j, unsigned int)
VFTRACE_EXTRACT(l, long)
VFTRACE_EXTRACT(m, unsigned long)
VFTRACE_EXTRACT(x, long long)
VFTRACE_EXTRACT(y, unsigned long long)
VFTRACE_EXTRACT(f, float)
VFTRACE_EXTRACT(d, double)
VFTRACE_EXTRACT(e, long double)
VFTRACE_EXTRACT(b, bool)

std::istream*
__dfsw__ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    std::istream* stream, std::string* text, Label, Label, Label* result) {
    *result = 0;
    const Position position(*stream);
    *stream >> *text;
    label_string(position, *text, true);
    return stream;
}

std::istream*
__dfsw__ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_(
    std::istream* stream, std::string* text, char delimiter, Label, Label, Label, Label* result) {
    *result = 0;
    const Position position(*stream);
    std::getline(*stream, *text, delimiter);
    label_string(position, *text, false);
    return stream;
}

std::istream*
__dfsw__ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    std::istream* stream, std::string* text, Label, Label, Label* result) {
    *result = 0;
    const Position position(*stream);
    std::getline(*stream, *text);
    label_string(position, *text, false);
    return stream;
}

}  // extern "C"
