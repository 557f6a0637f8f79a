// Formulas: the language of Vftrace 2.0, errors with their positions, hostile texts.
#include <catch2/catch.hpp>

#include <cmath>

#include "config/formula.hpp"

using namespace vftrace;

namespace {

double value_of(const std::string& text) {
    const Formula formula(text, {"a", "b", "T"});
    INFO(text << ": " << formula.error().text);
    REQUIRE(formula.error().text.empty());
    const double values[] = {7.0, 2.0, 0.5};
    return formula.evaluate(values);
}

}  // namespace

TEST_CASE("formula: operators and functions") {
    if (!formulas_are_available())
        return;
    CHECK(value_of("a + b * T - 1") == 7.0);
    CHECK(value_of("a % b") == 1.0);
    CHECK(value_of("1 + a % b * 3") == 4.0);
    CHECK(value_of("b ^ 3") == 8.0);
    CHECK(value_of("(a - b) / T") == 10.0);
    CHECK(value_of("log(1000)") == Approx(3.0));
    CHECK(value_of("ln(e)") == Approx(1.0));
    CHECK(value_of("cos(pi)") == Approx(-1.0));
    CHECK(value_of("fac(5) + ncr(5, 2) + npr(5, 2)") == 150.0);
    CHECK(value_of("floor(2.5) + ceil(2.5) + abs(0 - 1)") == 6.0);
    CHECK(value_of("pow(2, 10) + sqrt(16) + atan2(0, 1)") == 1028.0);
    CHECK(value_of("1e3 * a") == 7000.0);
}

TEST_CASE("formula: values that are not numbers") {
    if (!formulas_are_available())
        return;
    CHECK(std::isinf(value_of("a / 0")));
    CHECK(std::isnan(value_of("ncr(2, 5)")));
    CHECK(std::isnan(value_of("sqrt(0 - a)")));
    CHECK(std::isinf(value_of("fac(1e300)")));
    CHECK(std::isinf(value_of("npr(1e300, 1e299)")));
    CHECK(std::isinf(value_of("ncr(1e300, 1e299)")));
}

TEST_CASE("formula: symbols win over constants") {
    if (!formulas_are_available())
        return;
    const Formula formula("e + pi", {"e", "pi"});
    const double values[] = {1.0, 2.0};
    CHECK(formula.evaluate(values) == 3.0);
    CHECK(std::isnan(formula.evaluate(std::span(values, 1))));
}

TEST_CASE("formula: errors have a position") {
    if (!formulas_are_available())
        return;
    for (const char* text : {"", "a +", "a b", "(a", "a)", "unknown", "a + + * b", "sin()", "\"x\"",
                             "a $ b", "f(", "1.2.3", "\xff\xfe"}) {
        CAPTURE(text);
        const Formula formula(text, {"a", "b"});
        CHECK_FALSE(formula.error().text.empty());
        CHECK(formula.error().position <= std::string(text).size());
        const double values[] = {1.0, 2.0};
        CHECK(std::isnan(formula.evaluate(values)));
    }
    const Formula formula("a + c", {"a"});
    CHECK(formula.error().marked("a + c") == "a + c\n    ^");
}

TEST_CASE("formula: the mark stands below the character, whatever is before it") {
    const FormulaError error{"wrong", 5};
    CHECK(error.marked("\xc3\xa4+\tb c") == "\xc3\xa4+ b c\n    ^");
    CHECK(FormulaError{"wrong", 99}.marked("ab") == "ab\n  ^");
}

TEST_CASE("formula: deep and long texts") {
    if (!formulas_are_available())
        return;
    std::string sum = "a";
    for (int i = 0; i < 5000; i++)
        sum += "+a";
    const Formula formula(sum, {"a"});
    REQUIRE(formula.error().text.empty());
    const double values[] = {1.0};
    CHECK(formula.evaluate(values) == 5001.0);
}

TEST_CASE("formula: names of variables") {
    CHECK(is_formula_name("a"));
    CHECK(is_formula_name("_L2_misses"));
    for (const char* name : {"", "1a", "a b", "a-b", "\xc3\xa4", "a."})
        CHECK_FALSE(is_formula_name(name));
    CHECK(is_formula_function("sin"));
    CHECK(is_formula_function("log"));
    CHECK_FALSE(is_formula_function("cycles"));
}
