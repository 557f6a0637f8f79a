// Formulas, computed by muParser.
//
// Operators and functions of Vftrace 2.0 that muParser lacks or defines differently are added here:
// %, log as the decimal logarithm, ceil, floor, fac, ncr, npr, pow, pi and e.
#include "config/formula.hpp"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <iterator>
#include <limits>
#include <pthread.h>

#include "base/text.hpp"

namespace vftrace {
namespace {

// muParser's C interface, as far as it is used; unchanged since its version 2.0.
using Parser = void*;
using Function1 = double (*)(double);
using Function2 = double (*)(double, double);
using ErrorHandler = void (*)(Parser);

struct MuParser {
    Parser (*create)(int base_type);
    void (*release)(Parser);
    void (*set_expression)(Parser, const char*);
    double (*evaluate)(Parser);
    void (*define_variable)(Parser, const char*, double*);
    void (*define_constant)(Parser, const char*, double);
    void (*define_function1)(Parser, const char*, Function1, int optimize);
    void (*define_function2)(Parser, const char*, Function2, int optimize);
    void (*define_operator)(Parser, const char*, Function2, unsigned precedence, int associativity,
                            int optimize);
    void (*set_error_handler)(Parser, ErrorHandler);
    int (*error)(Parser);
    const char* (*error_text)(Parser);
    int (*error_position)(Parser);
    bool complete;
};
MuParser library;

template <class Function>
bool load(void* file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
}

void open_library() {
    void* file = dlopen("libmuparser.so.2", RTLD_LAZY | RTLD_LOCAL);
    library.complete = file && load(file, "mupCreate", library.create) &&
                       load(file, "mupRelease", library.release) &&
                       load(file, "mupSetExpr", library.set_expression) &&
                       load(file, "mupEval", library.evaluate) &&
                       load(file, "mupDefineVar", library.define_variable) &&
                       load(file, "mupDefineConst", library.define_constant) &&
                       load(file, "mupDefineFun1", library.define_function1) &&
                       load(file, "mupDefineFun2", library.define_function2) &&
                       load(file, "mupDefineOprt", library.define_operator) &&
                       load(file, "mupSetErrorHandler", library.set_error_handler) &&
                       load(file, "mupError", library.error) &&
                       load(file, "mupGetErrorMsg", library.error_text) &&
                       load(file, "mupGetErrorPos", library.error_position);
}

double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

double factorial(double n) {
    if (!(n >= 0.0) || n > 170.0)
        return n > 170.0 ? std::numeric_limits<double>::infinity() : not_a_number();
    double product = 1.0;
    for (int factor = 2; factor <= n; factor++)
        product *= factor;
    return product;
}

double permutations(double n, double k) {
    if (!(n >= 0.0) || !(k >= 0.0) || k > n)
        return not_a_number();
    double product = 1.0;
    // Soon larger than any double, so large arguments do not take long.
    for (double i = 0.0; i < std::floor(k) && std::isfinite(product); i += 1.0)
        product *= std::floor(n) - i;
    return product;
}

double combinations(double n, double k) {
    if (!(n >= 0.0) || !(k >= 0.0) || k > n)
        return not_a_number();
    n = std::floor(n);
    k = std::floor(k);
    k = std::min(k, n - k);
    double product = 1.0;
    for (double i = 1.0; i <= k && std::isfinite(product); i += 1.0)
        product *= (n - k + i) / i;
    return std::isfinite(product) ? std::round(product) : product;
}

constexpr struct {
    const char* name;
    Function1 function;
} functions1[] = {{"abs", [](double x) { return std::fabs(x); }},
                  {"ceil", [](double x) { return std::ceil(x); }},
                  {"fac", factorial},
                  {"floor", [](double x) { return std::floor(x); }},
                  {"log", [](double x) { return std::log10(x); }}};

constexpr struct {
    const char* name;
    Function2 function;
} functions2[] = {{"atan2", [](double y, double x) { return std::atan2(y, x); }},
                  {"ncr", combinations},
                  {"npr", permutations},
                  {"pow", [](double x, double y) { return std::pow(x, y); }}};

constexpr struct {
    const char* name;
    double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}};

// Names of muParser's own functions that are not among those above.
constexpr const char* other_functions[] = {"sin",  "cos",   "tan",  "asin",  "acos",  "atan",
                                           "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh",
                                           "log2", "log10", "ln",   "exp",   "sqrt",  "cbrt",
                                           "sign", "rint",  "min",  "max",   "sum",   "avg"};

// The precedence of multiplication and division in muParser.
constexpr unsigned precedence_of_division = 6;
constexpr int left_to_right = 0;

bool contains(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// muParser ends its messages with the position in its own format, and some with a line end.
std::string tidy(const char* text) {
    std::string_view view = trim(text ? text : "");
    while (view.ends_with('.'))
        view.remove_suffix(1);
    return view.empty() ? "it cannot be understood" : std::string(view);
}

}  // namespace

bool formulas_are_available() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return library.complete;
}

std::string FormulaError::marked(std::string_view formula) const {
    std::string line;
    for (char c : formula)
        line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    // Characters of several bytes take one column.
    std::size_t column = 0;
    for (std::size_t i = 0; i < std::min(position, line.size()); i++)
        column += (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;
    return line + '\n' + std::string(column, ' ') + '^';
}

void Formula::Release::operator()(void* parser) const { library.release(parser); }

Formula::Formula(const std::string& text, const std::vector<std::string>& variables)
    : values_(variables.size(), 1.0) {
    if (!formulas_are_available()) {
        error_.text = "the library libmuparser.so.2 is not installed";
        return;
    }
    parser_.reset(library.create(0));  // 0: numbers are doubles
    Parser parser = parser_.get();
    // Without a handler of ours, muParser would print messages.
    library.set_error_handler(parser, [](Parser) {});
    for (const auto& [name, function] : functions1)
        library.define_function1(parser, name, function, 0);
    for (const auto& [name, function] : functions2)
        library.define_function2(parser, name, function, 0);
    library.define_operator(
        parser, "%", [](double x, double y) { return std::fmod(x, y); }, precedence_of_division,
        left_to_right, 0);
    for (const auto& [name, value] : constants)
        if (!contains(variables, name))
            library.define_constant(parser, name, value);
    for (std::size_t i = 0; i < variables.size(); i++)
        library.define_variable(parser, variables[i].c_str(), &values_[i]);
    library.set_expression(parser, text.c_str());
    library.evaluate(parser);  // parses it
    if (!library.error(parser))
        return;
    error_.text = tidy(library.error_text(parser));
    const int position = library.error_position(parser);
    error_.position = position < 0 ? 0 : std::min(static_cast<std::size_t>(position), text.size());
}

Formula::~Formula() = default;

double Formula::evaluate(std::span<const double> values) const {
    if (!parser_ || !error_.text.empty() || values.size() != values_.size())
        return not_a_number();
    std::copy(values.begin(), values.end(), values_.begin());
    const double value = library.evaluate(parser_.get());
    return library.error(parser_.get()) ? not_a_number() : value;
}

bool is_formula_name(std::string_view text) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && is_letter(text[0]) &&
           std::all_of(text.begin(), text.end(),
                       [&](char c) { return is_letter(c) || is_digit(c); });
}

bool is_formula_function(std::string_view text) {
    const auto same = [&](const auto& known) { return text == known.name; };
    return std::any_of(std::begin(functions1), std::end(functions1), same) ||
           std::any_of(std::begin(functions2), std::end(functions2), same) ||
           std::find(std::begin(other_functions), std::end(other_functions), text) !=
               std::end(other_functions);
}

}  // namespace vftrace
