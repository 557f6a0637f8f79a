// Formats: "Rust Symbol Name Mangling v0",
// https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html; the older form is C++'s
// with escapes for characters and a hash at the end.
#include "symbol/rust_names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::uint32_t hex_value(char c) {
    return static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
}

// ---- the older form ----

constexpr std::string_view hash_start = "17h";
constexpr std::size_t hash_bytes = 16;

// The symbol without what the linker or LLVM has appended: `.llvm.1234`.
std::string_view without_suffix(std::string_view symbol) {
    return symbol.substr(0, symbol.find(".llvm."));
}

// The parts between `_ZN` and the hash; "" if the symbol does not have this form.
std::string_view legacy_parts(std::string_view symbol) {
    symbol = without_suffix(symbol);
    constexpr std::string_view start = "_ZN";
    constexpr std::size_t end_bytes = hash_start.size() + hash_bytes + 1;
    if (!symbol.starts_with(start) || symbol.size() <= start.size() + end_bytes)
        return {};
    const std::string_view end = symbol.substr(symbol.size() - end_bytes);
    const std::string_view hash = end.substr(hash_start.size(), hash_bytes);
    if (!end.starts_with(hash_start) || end.back() != 'E' ||
        !std::all_of(hash.begin(), hash.end(), is_hex))
        return {};
    return symbol.substr(start.size(), symbol.size() - start.size() - end_bytes);
}

constexpr struct {
    std::string_view escape, text;
} escapes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"},
               {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},  {"..", "::"}};

// Reads `$u7e$`; returns its length, 0 if there is none.
std::size_t code_point_escape(std::string_view text, std::uint32_t& code_point) {
    constexpr std::size_t most_digits = 6;
    if (!text.starts_with("$u"))
        return 0;
    std::size_t at = 2;
    for (code_point = 0; at < text.size() && is_hex(text[at]) && at < 2 + most_digits; at++)
        code_point = code_point * 16 + hex_value(text[at]);
    const bool is_printable = code_point >= 0x20 && code_point != 0x7f;
    return at > 2 && at < text.size() && text[at] == '$' && is_printable ? at + 1 : 0;
}

void append_code_point(std::string& out, std::uint32_t value) {
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (value < 0x80) {
        add(value);
    } else if (value < 0x800) {
        add(0xc0 | value >> 6);
        add(0x80 | (value & 0x3f));
    } else if (value < 0x10000) {
        add(0xe0 | value >> 12);
        add(0x80 | (value >> 6 & 0x3f));
        add(0x80 | (value & 0x3f));
    } else {
        add(0xf0 | (value >> 18 & 7));
        add(0x80 | (value >> 12 & 0x3f));
        add(0x80 | (value >> 6 & 0x3f));
        add(0x80 | (value & 0x3f));
    }
}

void append_unescaped(std::string& out, std::string_view part) {
    if (part.starts_with("_$"))
        part.remove_prefix(1);
    while (!part.empty()) {
        std::uint32_t code_point = 0;
        std::size_t length = code_point_escape(part, code_point);
        if (length != 0)
            append_code_point(out, code_point);
        for (const auto& known : escapes)
            if (length == 0 && part.starts_with(known.escape)) {
                out += known.text;
                length = known.escape.size();
            }
        if (length == 0) {
            out += part.front();
            length = 1;
        }
        part.remove_prefix(length);
    }
}

std::string demangle_legacy(std::string_view parts) {
    std::string out;
    while (!parts.empty()) {
        std::size_t length = 0;
        std::size_t digits = 0;
        while (digits < parts.size() && is_digit(parts[digits]) && length < parts.size())
            length = length * 10 + static_cast<std::size_t>(parts[digits++] - '0');
        parts.remove_prefix(digits);
        if (digits == 0 || length == 0 || length > parts.size())
            return {};
        if (!out.empty())
            out += "::";
        append_unescaped(out, parts.substr(0, length));
        parts.remove_prefix(length);
    }
    return out;
}

// ---- v0 ----

constexpr int deepest_nesting = 200;
constexpr int most_steps = 100'000;             // references make names longer than symbols
constexpr std::size_t with_repetitions = 2048;  // a longer name does not repeat parts

constexpr std::string_view basic_types[26] = {
    "i8",   "bool", "char", "f64", "str", "f32", "",    "u8", "isize", "usize", "",    "i32", "u32",
    "i128", "u128", "_",    "",    "",    "i16", "u16", "()", "...",   "",      "i64", "u64", "!"};

struct Identifier {
    std::string_view text;
    bool is_punycode = false;
    std::uint64_t number = 0;  // distinguishes equal ones
};

// RFC 3492. "" if it is not valid.
std::string from_punycode(std::string_view text) {
    constexpr std::uint32_t base = 36, smallest = 1, largest = 26, skew = 38, damp = 700;
    const std::size_t split = text.rfind('_');
    std::vector<std::uint32_t> characters;
    if (split != std::string_view::npos) {
        for (const char c : text.substr(0, split))
            characters.push_back(static_cast<unsigned char>(c));
        text.remove_prefix(split + 1);
    }
    std::uint32_t value = 128, bias = 72;
    std::uint64_t place = 0;
    bool first = true;
    while (!text.empty()) {
        const std::uint64_t before = place;
        std::uint64_t weight = 1;
        for (std::uint32_t k = base;; k += base) {
            if (text.empty() || weight > 0xffffffff)
                return {};
            const char c = text.front();
            text.remove_prefix(1);
            if (!is_lower(c) && !is_digit(c))
                return {};
            const auto digit = static_cast<std::uint32_t>(is_lower(c) ? c - 'a' : c - '0' + 26);
            place += digit * weight;
            const std::uint32_t threshold = k <= bias             ? smallest
                                            : k >= bias + largest ? largest
                                                                  : k - bias;
            if (digit < threshold)
                break;
            weight *= base - threshold;
        }
        const std::uint64_t count = characters.size() + 1;
        std::uint64_t delta = first ? (place - before) / damp : (place - before) / 2;
        first = false;
        delta += delta / count;
        std::uint32_t k = 0;
        for (; delta > (base - smallest) * largest / 2; k += base)
            delta /= base - smallest;
        bias = k + static_cast<std::uint32_t>((base - smallest + 1) * delta / (delta + skew));
        if (place / count > 0x10ffff)
            return {};
        value += static_cast<std::uint32_t>(place / count);
        place %= count;
        if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
            return {};
        characters.insert(characters.begin() + static_cast<std::ptrdiff_t>(place++), value);
    }
    std::string out;
    for (const std::uint32_t character : characters)
        append_code_point(out, character);
    return out;
}

class Demangler {
  public:
    // `text`: behind `_R`.
    explicit Demangler(std::string_view text) : text_(text) {}

    std::string run() {
        path(true);
        if (!failed_ && at_ < text_.size() && is_upper(text_[at_])) {
            is_quiet_++;  // the crate that has made a copy of the function
            path(false);
            is_quiet_--;
        }
        const std::string_view rest = failed_ ? std::string_view() : text_.substr(at_);
        if (failed_ || (!rest.empty() && rest.front() != '.' && rest.front() != '$'))
            return {};
        return std::move(out_);
    }

  private:
    class Deeper {
      public:
        explicit Deeper(Demangler& demangler) : demangler_(demangler) {
            if (++demangler.depth_ > deepest_nesting || ++demangler.steps_ > most_steps)
                demangler.failed_ = true;
        }
        ~Deeper() { demangler_.depth_--; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

      private:
        Demangler& demangler_;
    };

    void print(std::string_view text) {
        if (is_quiet_ == 0)
            out_ += text;
    }
    char peek() const { return !failed_ && at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char expected) {
        if (peek() != expected)
            return false;
        at_++;
        return true;
    }
    char next() {
        const char c = peek();
        if (c == '\0')
            failed_ = true;
        else
            at_++;
        return c;
    }
    // Whether a list goes on.
    bool more() { return !failed_ && !take('E'); }

    // `_` is 0, `0_` is 1.
    std::uint64_t base_62() {
        if (take('_'))
            return 0;
        std::uint64_t value = 0;
        for (char c = next(); !failed_ && c != '_'; c = next()) {
            const int digit = is_digit(c)   ? c - '0'
                              : is_lower(c) ? c - 'a' + 10
                              : is_upper(c) ? c - 'A' + 36
                                            : -1;
            failed_ = failed_ || digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
                      __builtin_add_overflow(value, digit, &value);
        }
        failed_ = failed_ || __builtin_add_overflow(value, 1, &value);
        return failed_ ? 0 : value;
    }
    std::uint64_t optional_base_62(char tag) { return take(tag) ? base_62() + 1 : 0; }

    Identifier identifier() {
        Identifier result;
        result.number = optional_base_62('s');
        result.is_punycode = take('u');
        std::size_t length = 0;
        if (!is_digit(peek()))
            failed_ = true;
        if (!take('0'))
            while (is_digit(peek()) && length < text_.size())
                length = length * 10 + static_cast<std::size_t>(next() - '0');
        take('_');
        if (failed_ || length > text_.size() - at_) {
            failed_ = true;
            return result;
        }
        result.text = text_.substr(at_, length);
        at_ += length;
        return result;
    }
    void print(const Identifier& identifier) {
        if (!identifier.is_punycode)
            return print(identifier.text);
        const std::string decoded = from_punycode(identifier.text);
        print(decoded.empty() ? identifier.text : std::string_view(decoded));
    }

    // Continues at an earlier place. Calls read() there.
    template <class Read>
    void reference(Read read) {
        const std::size_t here = at_ - 1;
        const std::uint64_t place = base_62();
        if (failed_ || place >= here) {
            failed_ = true;
            return;
        }
        if (is_quiet_ != 0)
            return;
        if (out_.size() > with_repetitions)
            return print("...");
        const std::size_t back = at_;
        at_ = static_cast<std::size_t>(place);
        read();
        at_ = back;
    }

    void path(bool in_value) {
        const Deeper deeper(*this);
        switch (next()) {
        case 'C':
            print(identifier());
            break;
        case 'N':
            inner_name(in_value);
            break;
        case 'M':
        case 'X': {
            const bool has_trait = text_[at_ - 1] == 'X';
            optional_base_62('s');
            is_quiet_++;
            path(false);
            is_quiet_--;
            print("<");
            type();
            if (has_trait) {
                print(" as ");
                path(false);
            }
            print(">");
            break;
        }
        case 'Y':
            print("<");
            type();
            print(" as ");
            path(false);
            print(">");
            break;
        case 'I':
            path(in_value);
            print(in_value ? "::<" : "<");
            generic_arguments();
            print(">");
            break;
        case 'B':
            reference([&] { path(in_value); });
            break;
        default:
            failed_ = true;
        }
    }

    void inner_name(bool in_value) {
        const char kind = next();
        if (!is_lower(kind) && !is_upper(kind))
            failed_ = true;
        path(in_value);
        const Identifier name = identifier();
        if (is_lower(kind)) {
            if (!name.text.empty()) {
                print("::");
                print(name);
            }
            return;
        }
        print("::{");
        print(kind == 'C'   ? std::string_view("closure")
              : kind == 'S' ? std::string_view("shim")
                            : std::string_view(&kind, 1));
        if (!name.text.empty()) {
            print(":");
            print(name);
        }
        print(format("#%llu}", static_cast<unsigned long long>(name.number)));
    }

    void generic_arguments() {
        for (bool first = true; more(); first = false) {
            if (!first)
                print(", ");
            if (take('L'))
                print_lifetime(base_62());
            else if (take('K'))
                constant(false);
            else
                type();
        }
    }

    void print_lifetime(std::uint64_t index) {
        if (index == 0)
            return print("'_");
        if (index > lifetimes_) {
            failed_ = true;
            return;
        }
        const std::uint64_t depth = lifetimes_ - index;
        constexpr std::uint64_t letters = 26;
        if (depth < letters)
            print(format("'%c", static_cast<char>('a' + depth)));
        else
            print(format("'_%llu", static_cast<unsigned long long>(depth)));
    }

    // `for<'a>`: returns how many lifetimes it introduces.
    std::uint64_t binder() {
        const std::uint64_t count = optional_base_62('G');
        constexpr std::uint64_t most = 100;
        if (count > most)
            failed_ = true;
        if (failed_ || count == 0)
            return 0;
        print("for<");
        for (std::uint64_t i = 0; i < count; i++) {
            if (i > 0)
                print(", ");
            lifetimes_++;
            print_lifetime(1);
        }
        print("> ");
        return count;
    }

    void type() {
        const Deeper deeper(*this);
        const char tag = next();
        if (is_lower(tag)) {
            const std::string_view name = basic_types[tag - 'a'];
            failed_ = failed_ || name.empty();
            return print(name);
        }
        switch (tag) {
        case 'R':
        case 'Q':
            print("&");
            if (take('L'))
                if (const std::uint64_t lifetime = base_62(); lifetime != 0) {
                    print_lifetime(lifetime);
                    print(" ");
                }
            if (tag == 'Q')
                print("mut ");
            return type();
        case 'P':
        case 'O':
            print(tag == 'P' ? "*const " : "*mut ");
            return type();
        case 'A':
        case 'S':
            print("[");
            type();
            if (tag == 'A') {
                print("; ");
                constant(true);
            }
            return print("]");
        case 'T': {
            print("(");
            int count = 0;
            for (; more(); count++) {
                if (count > 0)
                    print(", ");
                type();
            }
            return print(count == 1 ? ",)" : ")");
        }
        case 'F':
            return function_type();
        case 'D':
            return dynamic_type();
        case 'B':
            return reference([&] { type(); });
        case '\0':
            return;
        }
        at_--;
        path(false);
    }

    void function_type() {
        const std::uint64_t bound = binder();
        if (take('U'))
            print("unsafe ");
        if (take('K')) {
            std::string convention = "C";
            if (!take('C')) {
                convention = identifier().text;
                std::replace(convention.begin(), convention.end(), '_', '-');
            }
            print("extern \"");
            print(convention);
            print("\" ");
        }
        print("fn(");
        for (bool first = true; more(); first = false) {
            if (!first)
                print(", ");
            type();
        }
        print(")");
        if (!take('u')) {
            print(" -> ");
            type();
        }
        lifetimes_ -= bound;
    }

    void dynamic_type() {
        print("dyn ");
        const std::uint64_t bound = binder();
        for (bool first = true; more(); first = false) {
            if (!first)
                print(" + ");
            dynamic_trait();
        }
        lifetimes_ -= bound;
        if (!take('L')) {
            failed_ = true;
            return;
        }
        if (const std::uint64_t lifetime = base_62(); lifetime != 0) {
            print(" + ");
            print_lifetime(lifetime);
        }
    }

    // A path whose generic arguments, if it has any, are still open, so that those by name follow.
    bool open_path() {
        const Deeper deeper(*this);
        bool is_open = false;
        if (take('B')) {
            reference([&] { is_open = open_path(); });
        } else if (take('I')) {
            path(false);
            print("<");
            generic_arguments();
            is_open = true;
        } else {
            path(false);
        }
        return is_open;
    }

    void dynamic_trait() {
        bool is_open = open_path();
        while (take('p')) {
            print(is_open ? ", " : "<");
            is_open = true;
            print(identifier());
            print(" = ");
            type();
        }
        if (is_open)
            print(">");
    }

    // in_type: as the length of an array; otherwise what is not a plain value gets braces.
    void constant(bool in_type) {
        const Deeper deeper(*this);
        const char tag = next();
        const bool needs_braces = !in_type && std::strchr("eRQATV", tag) && tag != '\0';
        if (needs_braces)
            print("{");
        switch (tag) {
        case 'p':
            print("_");
            break;
        case 'a':
        case 's':
        case 'l':
        case 'x':
        case 'n':
        case 'i':
            if (take('n'))
                print("-");
            integer();
            break;
        case 'h':
        case 't':
        case 'm':
        case 'y':
        case 'o':
        case 'j':
            integer();
            break;
        case 'b':
            print(value() == 0 ? "false" : "true");
            break;
        case 'c': {
            std::string text = "'";
            append_code_point(text, static_cast<std::uint32_t>(value() & 0x1fffff));
            print(text + "'");
            break;
        }
        case 'e':
            print("*");
            string();
            break;
        case 'R':
        case 'Q':
            if (tag == 'R' && take('e')) {
                string();
                break;
            }
            print(tag == 'R' ? "&" : "&mut ");
            constant(true);
            break;
        case 'A':
            print("[");
            constants();
            print("]");
            break;
        case 'T':
            print("(");
            print(constants() == 1 ? ",)" : ")");
            break;
        case 'V':
            structure();
            break;
        case 'B':
            reference([&] { constant(in_type); });
            break;
        default:
            failed_ = true;
        }
        if (needs_braces)
            print("}");
    }

    int constants() {
        int count = 0;
        for (; more(); count++) {
            if (count > 0)
                print(", ");
            constant(true);
        }
        return count;
    }

    void structure() {
        path(true);
        switch (next()) {
        case 'U':
            break;
        case 'T':
            print("(");
            constants();
            print(")");
            break;
        case 'S':
            print(" { ");
            for (bool first = true; more(); first = false) {
                if (!first)
                    print(", ");
                print(identifier());
                print(": ");
                constant(true);
            }
            print(" }");
            break;
        default:
            failed_ = true;
        }
    }

    std::string_view digits() {
        const std::size_t begin = at_;
        while (is_hex(peek()))
            at_++;
        const std::string_view found = text_.substr(begin, at_ - begin);
        if (!take('_'))
            failed_ = true;
        return found;
    }
    std::uint64_t value() {
        std::uint64_t number = 0;
        for (const char c : digits())
            number = number * 16 + hex_value(c);
        return number;
    }
    void integer() {
        std::string_view found = digits();
        found.remove_prefix(std::min(found.find_first_not_of('0'), found.size()));
        constexpr std::size_t digits_of_64_bits = 16;
        if (found.size() > digits_of_64_bits)
            return print("0x" + std::string(found));
        std::uint64_t number = 0;
        for (const char c : found)
            number = number * 16 + hex_value(c);
        print(format("%llu", static_cast<unsigned long long>(number)));
    }
    void string() {
        const std::string_view bytes = digits();
        std::string text = "\"";
        for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
            const auto byte = static_cast<char>(hex_value(bytes[i]) * 16 + hex_value(bytes[i + 1]));
            if (byte == '"' || byte == '\\')
                text += '\\';
            text += byte >= 0 && byte < ' ' ? '?' : byte;
        }
        print(text + "\"");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
    bool failed_ = false;
    int depth_ = 0, steps_ = 0;
    int is_quiet_ = 0;             // not 0: what is read is not printed
    std::uint64_t lifetimes_ = 0;  // introduced around here
};

}  // namespace

bool is_rust_symbol(std::string_view symbol) {
    return (symbol.starts_with("_R") && symbol.size() > 2 && is_upper(symbol[2])) ||
           !legacy_parts(symbol).empty();
}

std::string demangle_rust(std::string_view symbol) {
    if (const std::string_view parts = legacy_parts(symbol); !parts.empty())
        return demangle_legacy(parts);
    if (!is_rust_symbol(symbol))
        return {};
    return Demangler(without_suffix(symbol).substr(2)).run();
}

}  // namespace vftrace
