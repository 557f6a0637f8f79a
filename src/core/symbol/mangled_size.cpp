// A parser of the grammar of mangled names that computes sizes instead of a text.
//
// Grammar: Itanium C++ ABI, chapter 5.1 (https://itanium-cxx-abi.github.io/cxx-abi/abi.html), with
// GCC's and clang's additions. The names of the functions are those of the grammar's rules.
#include "symbol/mangled_size.hpp"

#include <algorithm>
#include <vector>

namespace vftrace {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 40;  // sizes beyond do not differ
constexpr int deepest_nesting = 256;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return std::min(a + b, most); }
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > most / a ? most : a * b;
}

// The size of a text in which template parameters occur, whose arguments may be known later only.
struct Size {
    std::uint64_t bytes = 0;
    std::uint64_t parameters = 0;  // that represent an argument or all arguments of a pack
    std::uint64_t elements = 0;    // that represent a single argument
    Size& operator+=(const Size& other) {
        bytes = sum(bytes, other.bytes);
        parameters = sum(parameters, other.parameters);
        elements = sum(elements, other.elements);
        return *this;
    }
    // Of a text that is repeated for each argument of a pack.
    Size for_each(std::uint64_t arguments) const {
        return {product(bytes, arguments), 0, product(sum(parameters, elements), arguments)};
    }
    std::uint64_t with_arguments(std::uint64_t longest, std::uint64_t longest_single) const {
        return sum(bytes, sum(product(parameters, longest), product(elements, longest_single)));
    }
};

constexpr Size word = {24};      // brackets, commas, qualifiers, built-in types, operators
constexpr Size std_type = {72};  // std::basic_string<char, ...>

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// Operators by the number of their operands, each of two letters.
constexpr std::string_view unary = "ps ng ad de co nt pp mm aw ";
constexpr std::string_view binary =
    "pl mi ml dv rm an or eo aS pL mI mL dV rM aN oR eO ls rs lS rS eq ne lt gt le ge ss aa oo cm "
    "pm pt ix ";
bool is_one_of(std::string_view operators, char first, char second) {
    for (std::size_t i = 0; i + 1 < operators.size(); i += 3)
        if (operators[i] == first && operators[i + 1] == second)
            return true;
    return false;
}

class Parser {
  public:
    // longest: leave out repeated types that are longer; 0: none.
    Parser(std::string_view mangled, std::size_t longest) : text_(mangled), longest_(longest) {}

    // The size of the whole name, or unknown_size.
    std::uint64_t parse() {
        if (!take("_Z"))
            return unknown_size;
        const Size whole = encoding();
        if (failed_ || at_ != text_.size())
            return unknown_size;
        return with_arguments(whole);
    }

    std::string shortened() const {
        std::string result;
        std::size_t from = 0;
        for (const Range& range : left_out_) {
            result += text_.substr(from, range.begin - from);
            result += 'z';  // the type of `...` in parameters: never counted as a part
            from = range.end;
        }
        result += text_.substr(from);
        return result;
    }

  private:
    struct Range {
        std::size_t begin, end;
    };
    class Deeper {
      public:
        explicit Deeper(Parser& parser) : parser_(parser) {
            if (++parser.depth_ > deepest_nesting)
                parser.fail();
        }
        ~Deeper() { parser_.depth_--; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

      private:
        Parser& parser_;
    };

    char peek(std::size_t ahead = 0) const {
        return !failed_ && at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool take(std::string_view expected) {
        if (failed_ || !text_.substr(at_).starts_with(expected))
            return false;
        at_ += expected.size();
        return true;
    }
    void expect(std::string_view expected) {
        if (!take(expected))
            fail();
    }
    // At the end of the text, peek() is '\0', which ends every loop.
    Size fail() {
        failed_ = true;
        return {};
    }
    bool ends() { return failed_ || at_ >= text_.size() || peek() == 'E'; }

    std::uint64_t number() {
        std::uint64_t value = 0;
        if (!is_digit(peek()))
            fail();
        while (is_digit(peek())) {
            value = sum(product(value, 10), static_cast<std::uint64_t>(peek() - '0'));
            at_++;
        }
        return value;
    }
    void optional_number() {
        take("n");
        while (is_digit(peek()))
            at_++;
    }

    Size encoding() {
        const Deeper deeper(*this);
        if (peek() == 'T' || (peek() == 'G' && is_upper(peek(1))))
            return special_name();
        Size size = name();
        if (take("Ua"))  // enable_if
            size += source_name();
        while (!ends() && peek() != '.')
            size += type();
        return size += word;
    }

    Size special_name() {
        Size size = {48};
        const char first = peek(), second = peek(1);
        if (first == 'T' && (second == 'h' || second == 'v')) {
            at_++;
            call_offset();
            return size += encoding();
        }
        at_ += 2;
        if (first == 'T') {
            switch (second) {
            case 'V':
            case 'T':
            case 'I':
            case 'S':
            case 'F':
                return size += type();
            case 'c':
                call_offset();
                call_offset();
                return size += encoding();
            case 'C':
                size += type();
                number();
                expect("_");
                return size += type();
            case 'A':
                return size += template_arg();
            case 'W':
            case 'H':
                return size += name();
            }
            return fail();
        }
        switch (second) {
        case 'V':
            return size += name();
        case 'A':
            return size += encoding();
        case 'R':
            size += name();
            while (peek() && peek() != '_')
                at_++;
            expect("_");
            return size;
        case 'T':
            if (take("t") || take("n"))
                return size += encoding();
        }
        return fail();
    }

    void call_offset() {
        const bool is_virtual = peek() == 'v';
        if (!take("h") && !take("v"))
            fail();
        optional_number();
        expect("_");
        if (is_virtual) {
            optional_number();
            expect("_");
        }
    }

    Size name() {
        const Deeper deeper(*this);
        if (peek() == 'N')
            return nested_name();
        if (peek() == 'Z')
            return local_name();
        Size size;
        bool is_part = false;
        if (peek() == 'S' && peek(1) != 't') {
            size = substitution();
            is_part = true;
        } else {
            if (take("St"))
                size += word;
            size += unqualified_name();
        }
        if (peek() == 'I') {
            if (!is_part)
                add_part(size);
            size += template_args();
        }
        return size;
    }

    Size nested_name() {
        expect("N");
        while (take("r") || take("V") || take("K"))
            ;
        if (!take("R"))
            take("O");
        take("H");
        Size size = word;
        while (!failed_ && peek() != 'E') {
            bool is_part = false;
            if (peek() == 'S' && peek(1) != 't') {
                size += substitution();
                is_part = true;
            } else if (take("St")) {
                size += word;
                is_part = true;
            } else if (peek() == 'T') {
                size += template_param();
            } else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
                size += type_operator();
            } else if (peek() == 'I') {
                size += template_args();
            } else if (take("M")) {
                continue;
            } else if (peek() == 'C' || (peek() == 'D' && peek(1) != 'C')) {
                size += constructor(size);
            } else {
                size += unqualified_name();
            }
            size.bytes = sum(size.bytes, 2);
            if (!is_part && peek() != 'E')
                add_part(size);
        }
        expect("E");
        return size;
    }

    // Repeats the last name of the class, without what is around it.
    Size constructor(const Size& of_class) {
        at_++;
        take("I");
        if (!is_digit(peek()))
            return fail();
        const bool inherits = text_[at_ - 1] == 'I';
        at_++;
        Size size = {of_class.bytes};
        if (inherits)
            size += type();
        abi_tags(size);
        return size;
    }

    Size local_name() {
        expect("Z");
        Size size = encoding();
        expect("E");
        if (take("s")) {
            discriminator();
            return size += word;
        }
        if (take("d")) {
            optional_number();
            expect("_");
        }
        size += name();
        discriminator();
        return size;
    }

    void discriminator() {
        if (!take("_"))
            return;
        const bool several = take("_");
        number();
        if (several)
            expect("_");
    }

    void abi_tags(Size& size) {
        while (take("B"))
            (size += source_name()) += word;
    }

    Size source_name() {
        const std::uint64_t length = number();
        if (failed_ || length == 0 || length > text_.size() - at_)
            return fail();
        at_ += length;
        return {sum(length, word.bytes)};  // _GLOBAL__N_1 becomes (anonymous namespace)
    }

    Size unqualified_name() {
        Size size;
        take("F");
        take("L");
        if (is_digit(peek())) {
            size = source_name();
        } else if (take("DC")) {
            while (!ends())
                size += source_name();
            expect("E");
        } else if (take("Ul")) {
            size = word;
            template_parameter_declarations();
            while (!ends())
                size += type();
            expect("E");
            optional_number();
            expect("_");
        } else if (take("Ut")) {
            size = word;
            optional_number();
            expect("_");
        } else {
            size = operator_name();
        }
        abi_tags(size);
        return size;
    }

    // Of generic lambda expressions with explicit parameters.
    void template_parameter_declarations() {
        while (take("Ty"))
            ;
    }

    Size operator_name() {
        if (take("cv"))
            return type() += word;
        if (take("li"))
            return source_name() += word;
        if (peek() == 'v' && is_digit(peek(1))) {
            at_ += 2;
            return source_name() += word;
        }
        if (!is_lower(peek()) || !(is_lower(peek(1)) || is_upper(peek(1))))
            return fail();
        at_ += 2;
        return word;
    }

    Size substitution() {
        expect("S");
        if (is_lower(peek())) {
            at_++;
            Size size = std_type;
            abi_tags(size);
            return size;
        }
        std::uint64_t index = 0;
        if (peek() != '_') {
            for (; is_digit(peek()) || is_upper(peek()); at_++) {
                const char c = peek();
                index = sum(product(index, 36),
                            static_cast<std::uint64_t>(is_digit(c) ? c - '0' : c - 'A' + 10));
            }
            index++;
        }
        expect("_");
        if (index >= parts_.size())
            return fail();
        return parts_[index];
    }

    void add_part(const Size& size) {
        if (!failed_)
            parts_.push_back(size);
    }

    Size template_param() {
        expect("T");
        if (take("L")) {
            number();
            expect("_");
        }
        while (is_digit(peek()))
            at_++;
        expect("_");
        return {8, 1};
    }

    Size template_args() {
        const Deeper deeper(*this);
        Size size = word;
        if (!take("I") && !take("J"))
            return fail();
        std::uint64_t count = 0;
        while (!ends()) {
            size += template_arg();
            count++;
        }
        expect("E");
        most_arguments_ = std::max(most_arguments_, count);
        return size;
    }

    Size template_arg() {
        const Deeper deeper(*this);
        const bool is_pack = peek() == 'J';
        Size size;
        switch (peek()) {
        case 'L':
            size = primary_expression();
            break;
        case 'X':
            at_++;
            size = expression();
            expect("E");
            break;
        case 'J':
            size = template_args();
            break;
        default:
            size = type();
        }
        arguments_.push_back({size, is_pack});
        size.bytes = sum(size.bytes, 4);
        return size;
    }

    Size primary_expression() {
        expect("L");
        if (take("_Z") || peek() == 'Z') {
            take("Z");
            const Size size = encoding();
            expect("E");
            return size;
        }
        Size size = type();
        const std::size_t begin = at_;
        while (is_digit(peek()) || is_lower(peek()) || peek() == '_')
            at_++;
        size.bytes = sum(size.bytes, at_ - begin + 4);
        expect("E");
        return size;
    }

    // decltype, typeof
    Size type_operator() {
        at_ += 2;
        Size size = expression() += word;
        expect("E");
        return size;
    }

    Size type() {
        const Deeper deeper(*this);
        Size size;
        const char c = peek();
        switch (c) {
        case 'r':
        case 'V':
        case 'K':
            while (take("r") || take("V") || take("K"))
                size += word;
            size += type();
            break;
        case 'P':
        case 'R':
        case 'O':
        case 'C':
        case 'G':
            at_++;
            size = type();
            size.bytes = sum(size.bytes, 12);
            break;
        case 'U':
            if (peek(1) == 'l' || peek(1) == 't') {
                size = name();
                break;
            }
            at_++;
            size = source_name();
            if (peek() == 'I')
                size += template_args();
            size += type();
            break;
        case 'F':
            size = function_type();
            break;
        case 'A':
            at_++;
            if (is_digit(peek()))
                number();
            else if (peek() != '_')
                size = expression();
            expect("_");
            size += type();
            size += word;
            break;
        case 'M':
            at_++;
            size = type();
            size += type();
            size += word;
            break;
        case 'T':
            if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
                at_ += 2;
                size = name() += word;
                break;
            }
            size = template_param();
            if (peek() == 'I') {
                add_part(size);
                size += template_args();
            }
            break;
        case 'S': {
            if (peek(1) == 't') {
                size = name();
                break;
            }
            const std::size_t begin = at_;
            const bool is_named = is_lower(peek(1));
            size = substitution();
            if (peek() != 'I') {
                if (!is_named && longest_ != 0 && size.bytes > longest_) {
                    left_out_.push_back({begin, at_});
                    size = {4};
                }
                return size;
            }
            size += template_args();
            break;
        }
        case 'D':
            return type_with_d();
        case 'u':
            at_++;
            size = source_name();
            if (peek() == 'I')
                size += template_args();
            break;
        default:
            if (is_lower(c)) {
                at_++;
                return word;
            }
            size = name();
        }
        add_part(size);
        return size;
    }

    Size type_with_d() {
        Size size;
        switch (peek(1)) {
        case 't':
        case 'T':
            size = type_operator();
            break;
        case 'p':
            at_ += 2;
            size = type().for_each(most_arguments_ + 1);
            break;
        case 'o':
        case 'O':
        case 'w':
        case 'x':
            size = function_type();
            break;
        case 'v':
            at_ += 2;
            if (is_digit(peek())) {
                number();
            } else {
                expect("_");
                size = expression();
            }
            expect("_");
            size += type();
            size += word;
            break;
        case 'F':
            at_ += 2;
            number();
            if (!take("x") && !take("b"))
                expect("_");
            return word;
        case 'B':
        case 'U':
            at_ += 2;
            if (is_digit(peek()))
                number();
            else
                size = expression();
            expect("_");
            return size += word;
        default:
            if (!is_lower(peek(1)))
                return fail();
            at_ += 2;
            return word;
        }
        add_part(size);
        return size;
    }

    Size function_type() {
        Size size = word;
        if (take("DO")) {
            size += expression();
            expect("E");
        } else if (take("Dw")) {
            while (!ends())
                size += type();
            expect("E");
        } else {
            take("Do");
        }
        take("Dx");
        expect("F");
        take("Y");
        while (!ends()) {
            if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
                at_++;
                break;
            }
            size += type();
            size.bytes = sum(size.bytes, 2);
        }
        expect("E");
        return size;
    }

    Size expressions_to_end() {
        Size size;
        while (!ends())
            size += expression();
        expect("E");
        return size;
    }

    Size expression() {
        const Deeper deeper(*this);
        take("gs");
        const char first = peek(), second = peek(1);
        if (first == 'L')
            return primary_expression();
        if (first == 'T')
            return template_param();
        if (is_digit(first) || (first == 'o' && second == 'n') || (first == 'd' && second == 'n'))
            return unresolved_name();
        if (first == 's' && second == 'r')
            return scope_resolution();
        if (first == 'f' && (second == 'p' || (second == 'L' && is_digit(peek(2)))))
            return function_parameter();
        if (first == '\0' || second == '\0')
            return fail();
        at_ += 2;
        Size size = word;
        const auto is = [&](std::string_view code) {
            return first == code[0] && second == code[1];
        };
        if (is("cl") || is("cp") || is("il"))
            return size += expressions_to_end();
        if (is("tl")) {
            size += type();
            return size += expressions_to_end();
        }
        if (is("cv")) {
            size += type();
            return size += take("_") ? expressions_to_end() : expression();
        }
        if (is("nw") || is("na")) {
            while (!failed_ && peek() && peek() != '_')
                size += expression();
            expect("_");
            size += type();
            if (take("pi"))
                return size += expressions_to_end();
            expect("E");
            return size;
        }
        if (is("dc") || is("sc") || is("cc") || is("rc")) {
            size += type();
            return size += expression();
        }
        if (is("ti") || is("st") || is("at"))
            return size += type();
        if (is("te") || is("sz") || is("az") || is("nx") || is("tw") || is("dl") || is("da"))
            return size += expression();
        if (is("sp"))
            return size += expression().for_each(most_arguments_ + 1);
        if (is("sZ"))
            return size += peek() == 'T' ? template_param() : function_parameter();
        if (is("sP")) {
            while (!ends())
                size += template_arg();
            expect("E");
            return size;
        }
        if (is("tr"))
            return size;
        if (is("dt")) {
            size += expression();
            return size += unresolved_name();
        }
        if (is("pt")) {
            size += expression();
            return size += unresolved_name();
        }
        if (is("ds")) {
            size += expression();
            return size += expression();
        }
        if (is("qu")) {
            size += expression();
            size += expression();
            return size += expression();
        }
        if (is("fl") || is("fr") || is("fL") || is("fR")) {
            at_ += 2;  // the operator
            size += expression().for_each(most_arguments_ + 1);
            if (second == 'L' || second == 'R')
                size += expression();
            return size;
        }
        if (is_one_of(unary, first, second)) {
            if (first == second)  // pp_, mm_: before the operand
                take("_");
            return size += expression();
        }
        if (is_one_of(binary, first, second)) {
            size += expression();
            return size += expression();
        }
        return fail();
    }

    Size function_parameter() {
        if (take("fL")) {
            number();
            expect("p");
        } else {
            expect("fp");
        }
        if (take("T"))
            return word;
        while (take("r") || take("V") || take("K"))
            ;
        while (is_digit(peek()))
            at_++;
        expect("_");
        return word;
    }

    // A name whose meaning depends on template arguments, at its last part.
    Size unresolved_name() {
        Size size = word;
        take("gs");
        if (peek() == 's' && peek(1) == 'r')
            return scope_resolution();
        if (take("on"))
            size += operator_name();
        else if (take("dn"))
            size += is_digit(peek()) ? source_name() : type();
        else if (is_digit(peek()))
            size += source_name();
        else
            return size += expression();  // GCC writes members as any expression
        if (peek() == 'I')
            size += template_args();
        return size;
    }

    Size scope_resolution() {
        expect("sr");
        // Of the two forms that begin with a name, only the list has an `E` at its end.
        if (is_digit(peek()) && attempts_ < most_attempts) {
            attempts_++;
            const std::size_t begin = at_, parts = parts_.size(), arguments = arguments_.size(),
                              left_out = left_out_.size();
            Size size = simple_names();
            size += unresolved_name();
            if (!failed_)
                return size;
            failed_ = false;
            at_ = begin;
            parts_.resize(parts);
            arguments_.resize(arguments);
            left_out_.resize(left_out);
        }
        Size size = type() += word;
        if (peek() == 'I')
            size += template_args();
        return size += unresolved_name();
    }

    Size simple_names() {
        Size size = word;
        while (!ends()) {
            size += source_name();
            if (peek() == 'I')
                size += template_args();
        }
        expect("E");
        return size;
    }

    std::uint64_t with_arguments(const Size& size) const {
        std::uint64_t own = 0, longest = 0, single = 0;
        for (const Argument& argument : arguments_)
            own = std::max(own, argument.size.bytes);
        for (const Argument& argument : arguments_) {
            const std::uint64_t bytes = argument.size.with_arguments(own, own);
            longest = std::max(longest, bytes);
            if (!argument.is_pack)
                single = std::max(single, bytes);
        }
        return size.with_arguments(longest, single);
    }

    struct Argument {
        Size size;
        bool is_pack;
    };
    static constexpr int most_attempts = 16;
    std::string_view text_;
    std::size_t longest_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool failed_ = false;
    int attempts_ = 0;
    std::vector<Size> parts_;  // those that the name may refer to, in the order of their ends
    std::vector<Argument> arguments_;
    std::uint64_t most_arguments_ = 0;
    std::vector<Range> left_out_;
};

}  // namespace

std::uint64_t demangled_size(std::string_view mangled) { return Parser(mangled, 0).parse(); }

std::string without_long_repetitions(std::string_view mangled, std::size_t longest) {
    Parser parser(mangled, longest);
    return parser.parse() == unknown_size ? std::string() : parser.shortened();
}

}  // namespace vftrace
