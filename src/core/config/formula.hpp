// Formulas such as "instructions / cycles", computed by muParser.
//
// The library is not linked but opened when the first formula is created: it is written in C++, and
// profiled programs may be C or Fortran. Its C interface does not throw exceptions.
//
//     Formula formula("a / T", {"a", "T"});
//     if (formula.error().text.empty())
//         double value = formula.evaluate(values);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// Whether formulas can be computed on this machine: libmuparser.so.2 is there.
bool formulas_are_available();

struct FormulaError {
    std::string text;          // empty: there is none
    std::size_t position = 0;  // byte of the formula where the error was found

    // Two lines: the formula, and a ^ below the place.
    std::string marked(std::string_view formula) const;
};

class Formula {
  public:
    // `variables` are names that is_formula_name() accepts. pi and e are known too, unless there
    // are variables with these names. Without the library, every formula has an error that says so.
    Formula(const std::string& text, const std::vector<std::string>& variables);
    ~Formula();
    Formula(Formula&&) noexcept = default;
    Formula(const Formula&) = delete;
    Formula& operator=(const Formula&) = delete;

    const FormulaError& error() const { return error_; }

    // The value for these values of the variables, in their order. Not finite if the arithmetic
    // leads to that (1 / 0); NaN if the formula has an error.
    double evaluate(std::span<const double> values) const;

  private:
    struct Release {
        void operator()(void* parser) const;
    };
    std::unique_ptr<void, Release> parser_;
    // The parser holds the addresses of the elements.
    mutable std::vector<double> values_;
    FormulaError error_;
};

// Whether a text can stand for a variable: letters, digits and _, no digit first.
bool is_formula_name(std::string_view text);

// Whether the name is taken by a function or an operator of formulas.
bool is_formula_function(std::string_view text);

}  // namespace vftrace
