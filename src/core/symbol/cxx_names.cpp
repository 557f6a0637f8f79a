// Taking a demangled declaration apart: return type, qualified name, parameters, qualifiers.
#include "symbol/names.hpp"

#include "symbol/cxx_scan.hpp"
#include "symbol/cxx_types.hpp"
#include "symbol/rust_names.hpp"

#include <algorithm>

namespace vftrace {

namespace {

// Declarators inside declarators (a function that returns a pointer to a function that ...).
constexpr int deepest_declarator = 20;

// What demanglers write before the name of something that the compiler generated.
constexpr std::string_view descriptions[] = {"virtual thunk to ",
                                             "non-virtual thunk to ",
                                             "covariant return thunk to ",
                                             "guard variable for ",
                                             "vtable for ",
                                             "VTT for ",
                                             "construction vtable for ",
                                             "typeinfo for ",
                                             "typeinfo name for ",
                                             "typeinfo fn for ",
                                             "TLS init function for ",
                                             "TLS wrapper function for ",
                                             "thread-local initialization routine for ",
                                             "thread-local wrapper routine for ",
                                             "transaction clone for ",
                                             "non-transaction clone for ",
                                             "hidden alias for "};

// Reads one declaration from left to right. Only the name read so far is kept: a blank, `*` or `&`
// outside brackets shows that it was a type.
class DeclarationReader {
  public:
    DeclarationReader(std::string_view text, bool with_parameters, int depth)
        : text_(text), with_parameters_(with_parameters), depth_(depth) {}

    // "" if there is no name in the text.
    std::string qualified_name() {
        while (at_ < text_.size() && !finished_)
            step();
        return std::move(name_);
    }

  private:
    void step() {
        char c = text_[at_];
        if (is_operator(text_, at_)) {
            std::size_t end = operator_end(text_, at_);
            bool conversion = text_[end - 1] == ' ' && end < text_.size() && text_[end] != '<';
            take_until(conversion ? conversion_type_end(text_, end) : end);
            if (at_ < text_.size() && text_[at_] == '<')
                take_until(group_end(text_, at_));
        } else if (c == '(') {
            parenthesis();
        } else if (c == '<' || c == '{' || c == '[' || c == '"') {
            take_until(group_end(text_, at_));
        } else if (c == ' ' || c == '*' || c == '&') {
            type_word_ = std::move(name_);
            name_.clear();
            at_++;
        } else {
            take_until(at_ + 1);
        }
    }

    void take_until(std::size_t end) {
        end = std::min(end, text_.size());
        name_ += text_.substr(at_, end - at_);
        at_ = end;
    }

    void parenthesis() {
        if (text_.substr(at_).starts_with(anonymous_namespace)) {
            take_until(at_ + anonymous_namespace.size());
            return;
        }
        std::size_t end = std::min(group_end(text_, at_), text_.size());
        const std::string& word = name_.empty() ? type_word_ : name_;
        if (word == "decltype" || word == "typeof" || word == "noexcept") {
            at_ = end;
        } else if (name_.ends_with('\'')) {
            take_until(end);  // 'lambda'(int)
        } else if (name_.empty() && is_declarator(text_, at_) && depth_ < deepest_declarator) {
            std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
            if (inner.ends_with(')'))
                inner.remove_suffix(1);
            name_ = DeclarationReader(inner, with_parameters_, depth_ + 1).qualified_name();
            at_ = end;
            if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '['))
                at_ = std::min(group_end(text_, at_), text_.size());
            after_parameters({});
        } else {
            std::string_view parameters = text_.substr(at_, end - at_);
            at_ = end;
            after_parameters(parameters);
        }
    }

    // After the parameters, either the declaration ends or something local to the function follows.
    void after_parameters(std::string_view parameters) {
        std::size_t start = at_;
        constexpr std::string_view qualifiers[] = {" const",    " volatile", " &&",        " &",
                                                   " noexcept", " restrict", " __restrict"};
        for (bool again = true; again;) {
            again = false;
            for (std::string_view qualifier : qualifiers)
                if (text_.substr(at_).starts_with(qualifier)) {
                    at_ += qualifier.size();
                    again = true;
                    break;
                }
        }
        if (with_parameters_) {
            name_ += parameters;
            name_ += text_.substr(start, at_ - start);
        }
        finished_ = !text_.substr(at_).starts_with("::");
    }

    std::string_view text_;
    bool with_parameters_;
    int depth_;
    std::size_t at_ = 0;
    bool finished_ = false;
    std::string name_;
    std::string type_word_;  // the last word that turned out to belong to a type
};

std::string shortened(std::string_view demangled, bool with_parameters, DefaultedTypes* defaulted) {
    std::string_view rest = demangled;
    for (std::string_view clone : {" [clone ", " (."})
        rest = rest.substr(0, rest.find(clone));
    std::string out;
    for (bool again = true; again;) {
        again = false;
        for (std::string_view description : descriptions)
            if (rest.starts_with(description)) {
                out += description;
                rest.remove_prefix(description.size());
                again = true;
            }
    }
    std::string name = DeclarationReader(rest, with_parameters, 0).qualified_name();
    out += name.empty() ? std::string(rest) : simplify_cxx_types(name, defaulted);
    return out.empty() ? std::string(demangled) : out;
}

}  // namespace

std::string short_cxx_name(std::string_view demangled, DefaultedTypes* defaulted) {
    return shortened(demangled, false, defaulted);
}

std::string short_cxx_name_with_parameters(std::string_view demangled, DefaultedTypes* defaulted) {
    return shortened(demangled, true, defaulted);
}

std::string cxx_name_without_templates(std::string_view demangled) {
    std::string name = short_cxx_name(demangled);
    for (std::size_t at = 0; at < name.size();) {
        if (name[at] == '<' && at > 0) {
            name.resize(name.find_last_not_of(' ', at - 1) + 1);  // `operator<< <int>`
            break;
        }
        at = is_operator(name, at) ? operator_end(name, at) : at + 1;
    }
    return name;
}

std::string short_name(const std::string& symbol) {
    const std::string demangled = demangle(symbol);
    if (demangled.empty())
        return clean_name(symbol);
    return is_rust_symbol(symbol) ? demangled : short_cxx_name(demangled);
}

}  // namespace vftrace
