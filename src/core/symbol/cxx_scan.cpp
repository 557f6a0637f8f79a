// Brackets, operators and words in demangled C++ text.
#include "symbol/cxx_scan.hpp"

#include <algorithm>
#include <string>

namespace vftrace {

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view operator_word = "operator";

// A symbol comes before every shorter symbol that it begins with.
constexpr std::string_view operator_symbols[] = {
    "()", "[]", "->*", "->", "<=>", "<<=", ">>=",    "<<",   ">>",        "<=",      ">=",
    "<",  ">",  "==",  "=",  "!=",  "!",   "&&",     "&=",   "&",         "||",      "|=",
    "|",  "++", "+=",  "+",  "--",  "-=",  "-",      "*=",   "*",         "/=",      "/",
    "%=", "%",  "^=",  "^",  "~",   ",",   " new[]", " new", " delete[]", " delete", " co_await"};

bool word_at(std::string_view text, std::size_t at, std::string_view word) {
    return text.substr(at).starts_with(word) &&
           (at == 0 || !is_identifier_character(text[at - 1])) &&
           (at + word.size() == text.size() || !is_identifier_character(text[at + word.size()]));
}

char closing_bracket(char open) {
    switch (open) {
    case '(':
        return ')';
    case '[':
        return ']';
    case '{':
        return '}';
    }
    return '>';
}

}  // namespace

bool is_identifier_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_operator(std::string_view text, std::size_t at) {
    return text[at] == 'o' && word_at(text, at, operator_word);
}

std::size_t operator_end(std::string_view text, std::size_t at) {
    at += operator_word.size();
    std::string_view rest = text.substr(at);
    if (rest.starts_with("\"\"")) {
        at += 2;
        if (at < text.size() && text[at] == ' ')
            at++;
        while (at < text.size() && is_identifier_character(text[at]))
            at++;
        return at;
    }
    for (std::string_view symbol : operator_symbols) {
        if (!rest.starts_with(symbol))
            continue;
        std::string_view after = rest.substr(symbol.size());
        if (symbol.front() == ' ') {
            if (!after.empty() && is_identifier_character(after.front()))
                continue;  // a conversion to a type `newer`
        } else if (symbol == "<<" && !after.empty() && after.front() != '(' &&
                   after.front() != '<' && after.front() != ' ') {
            continue;  // `operator<<int>`: `operator<` and its template arguments
        }
        at += symbol.size();
        return text.substr(at).starts_with(" <") ? at + 1 : at;
    }
    return rest.starts_with(' ') ? at + 1 : at;
}

std::size_t conversion_type_end(std::string_view text, std::size_t at) {
    std::size_t start = at;
    while (at < text.size()) {
        switch (text[at]) {
        case '(': {
            std::string_view before = text.substr(start, at - start);
            if (text.substr(at).starts_with(anonymous_namespace)) {
                at += anonymous_namespace.size();
                continue;
            }
            bool declarator = is_declarator(text, at);
            if (!declarator && !before.ends_with("decltype") && !before.ends_with("decltype "))
                return at;
            at = std::min(group_end(text, at), text.size());
            // The target of the pointer: the parameters of a function.
            if (declarator && at < text.size() && text[at] == '(')
                at = std::min(group_end(text, at), text.size());
            continue;
        }
        case '<':
        case '[':
        case '{':
            at = std::min(group_end(text, at), text.size());
            continue;
        }
        at++;
    }
    return at;
}

bool opens_template_arguments(std::string_view text, std::size_t at) {
    // `{parm#1}<{parm#2}`, `(1)<(2)` and `1 < 2` are comparisons. A `<` after an operator's symbol
    // may follow a blank or a parenthesis; callers have skipped the symbol by operator_end().
    return at > 0 &&
           (is_identifier_character(text[at - 1]) || text[at - 1] == ']' || text[at - 1] == '\'');
}

std::size_t group_end(std::string_view text, std::size_t at) {
    std::string expected;  // the closing brackets, innermost last
    bool after_operator = false;
    for (std::size_t start = at; at < text.size();) {
        if (is_operator(text, at)) {
            at = operator_end(text, at);
            after_operator = true;
            continue;
        }
        char c = text[at];
        switch (c) {
        case '"':
            at = text.find('"', at + 1);
            if (at == npos)
                return npos;
            break;
        case '<':
            if (at == start || after_operator || opens_template_arguments(text, at))
                expected += '>';
            break;
        case '(':
        case '[':
        case '{':
            expected += closing_bracket(c);
            break;
        case '>':
            // `A<(1)>>(2)>` is a shift: with one bracket open, two cannot close.
            if (expected == ">" && text[at - 1] == ')' && text.substr(at).starts_with(">>(")) {
                at++;
                break;
            }
            // Not `->`; in parentheses it is a comparison or a shift.
            if (expected.ends_with('>') && text[at - 1] != '-')
                expected.pop_back();
            break;
        case ')':
        case ']':
        case '}':
            // A `<` that was mistaken for a bracket.
            while (expected.ends_with('>'))
                expected.pop_back();
            if (!expected.ends_with(c))
                return npos;
            expected.pop_back();
            break;
        }
        at++;
        after_operator = false;
        if (expected.empty())
            return at;
    }
    return npos;
}

bool is_declarator(std::string_view text, std::size_t at) {
    for (at++; at < text.size();) {
        char c = text[at];
        if (c == '*' || c == '&')
            return true;
        if (c == '<') {
            at = group_end(text, at);  // `(A<int>::*)`
            continue;
        }
        if (!is_identifier_character(c) && c != ':')
            return false;
        at++;
    }
    return false;
}

}  // namespace vftrace
