#include "base/text.hpp"

#include <cstdio>
#include <cstdlib>

namespace vftrace {

void append_format_v(std::string& out, const char* pattern, std::va_list arguments) {
    char small[256];
    std::va_list again;
    va_copy(again, arguments);
    int length = std::vsnprintf(small, sizeof small, pattern, arguments);
    if (length < 0) {
        // A failed conversion prints nothing instead of half a number.
    } else if (static_cast<std::size_t>(length) < sizeof small) {
        out.append(small, static_cast<std::size_t>(length));
    } else {
        std::size_t old_size = out.size();
        out.resize(old_size + static_cast<std::size_t>(length) + 1);  // room for printf's NUL
        std::vsnprintf(out.data() + old_size, static_cast<std::size_t>(length) + 1, pattern, again);
        out.pop_back();
    }
    va_end(again);
}

void append_format(std::string& out, const char* pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    append_format_v(out, pattern, arguments);
    va_end(arguments);
}

std::string format(const char* pattern, ...) {
    std::string out;
    std::va_list arguments;
    va_start(arguments, pattern);
    append_format_v(out, pattern, arguments);
    va_end(arguments);
    return out;
}

std::string number_text(double value) {
    std::string text;
    for (int digits = 15; digits <= 17; digits++) {
        text = format("%.*g", digits, value);
        if (std::strtod(text.c_str(), nullptr) == value)
            break;
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        std::size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return pieces;
        text.remove_prefix(end + 1);
    }
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool has_control_character(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return true;
    return false;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    // Not strcasecmp: its idea of a letter depends on the program's locale.
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

std::string_view base_name(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);  // npos + 1 == 0
    return path;
}

// One object for the life of the process, because newlocale allocates. Several threads may call
// this at once.
static locale_t c_locale() {
    static locale_t known;
    locale_t locale = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (locale)
        return locale;
    const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
    if (!made || __atomic_compare_exchange_n(&known, &locale, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
        return made;
    freelocale(made);
    return locale;
}

CLocale::CLocale() {
    const locale_t c = c_locale();
    previous_ = c ? uselocale(c) : nullptr;
}

CLocale::~CLocale() {
    if (previous_)
        uselocale(previous_);
}

}  // namespace vftrace
