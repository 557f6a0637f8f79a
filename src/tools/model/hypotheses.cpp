#include "model/hypotheses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/significance.hpp"

namespace vftrace {
namespace {

// How rarely noise may look like a term that is tried alone. Of all that are tried, about five are
// different enough to count, so noise looks like a term in one of 1000 paths. If little is known
// about the noise, this limit would hide values that double: then it is one of 150 paths.
constexpr double false_alarm = 5e-5, false_alarm_of_few = 1e-3;
constexpr std::size_t few_freedom = 10;

double limit_of_one(std::size_t freedom) {
    return f_limit(1, freedom, freedom < few_freedom ? false_alarm_of_few : false_alarm);
}
// How rarely noise alone makes a right formula look worse than this. Not 0.05, because which
// formula is the right one is uncertain too: with this, 95 % of the intervals are right
// (test/bench/bench_model_accuracy.py).
constexpr double doubt = 0.045;
// A constant is in doubt if this rare chance would have to explain what a term improves. Of 45
// terms, one does so for one constant in ten.
constexpr double often = 0.05;
// What a coefficient must improve the logarithm of the likelihood by, times -2: Akaike's criterion.
constexpr double price_of_coefficient = 2;
// Smaller relative errors are due to rounding; counts do not have any.
constexpr double least_variance = 1e-6 * 1e-6;

// Squares of the errors of a constant, as logarithms of ratios: a constant far below most of the
// values is wrong by more than 100 %.
double logarithmic_squares(const PointValues& values) {
    double weights = 0, mean = 0, squares = 0;
    for (const PointValue& value : values.points) {
        if (!(value.value > 0))
            return 0;
        weights += value.weight;
        mean += value.weight * std::log(value.value);
    }
    mean /= weights;
    for (const PointValue& value : values.points)
        squares += value.weight * std::pow(std::log(value.value) - mean, 2);
    return squares;
}

bool falls(const Product& product) {
    return std::all_of(product.begin(), product.end(),
                       [](const Factor& factor) { return factor.exponents < Exponents{}; });
}

}  // namespace

Hypotheses::Hypotheses(const PointValues& values, const PointGrid& grid)
    : values_(values), grid_(grid), regression_(values), ones_(values.points.size(), 1.0) {
    consider({});
    constant_squares_ = std::max(kept_.front().fit.squares, logarithmic_squares(values));
}

std::uint32_t Hypotheses::add_product(Product product) {
    std::vector<double>& column = columns_.emplace_back(ones_);
    for (const Factor& factor : product) {
        const std::vector<double>& at_points = grid_.column(factor);
        for (std::size_t i = 0; i < column.size(); i++)
            column[i] *= at_points[values_.points[i].point];
    }
    products_.push_back(std::move(product));
    return static_cast<std::uint32_t>(products_.size() - 1);
}

std::optional<LeastSquares> Hypotheses::fit(const Hypothesis& hypothesis) const {
    std::array<const double*, most_terms + 1> columns{};
    std::size_t used = 0;
    if (hypothesis.has_constant)
        columns[used++] = ones_.data();
    for (std::size_t i = 0; i < hypothesis.terms; i++)
        columns[used++] = columns_[hypothesis.product[i]].data();
    return regression_.fit({columns.data(), used});
}

// A constant that rounding could explain does not count, nor does a negative one that noise could
// explain.
bool Hypotheses::needs_constant(const Hypothesis& tried) const {
    const double constant = tried.fit.coefficient[0];
    double smallest = std::numeric_limits<double>::infinity();
    for (const PointValue& value : values_.points)
        smallest = std::min(smallest, value.scale);
    if (std::abs(constant) < 1e-6 * smallest)
        return false;
    const Variance noise = variance(tried);
    return constant > 0 || tried.fit.t_squared(0, noise.variance) >= limit_of_one(noise.freedom);
}

double Hypotheses::error_of(const Hypothesis& tried) const {
    const auto known = static_cast<double>(regression_.points() + values_.repetition_freedom);
    const double squares = tried.fit.squares + values_.repetition_squares;
    return known * std::log(squares / known + least_variance) +
           price_of_coefficient * static_cast<double>(tried.fit.coefficients);
}

void Hypotheses::consider(std::span<const std::uint32_t> products) {
    Hypothesis tried;
    tried.terms = products.size();
    std::copy(products.begin(), products.end(), tried.product.begin());
    std::optional<LeastSquares> found = fit(tried);
    if (found)
        tried.fit = *found;
    else if (tried.terms == 0)
        return;
    // A constant that only one point shows cannot be fitted.
    if (tried.terms > 0 && (!found || !needs_constant(tried))) {
        tried.has_constant = false;
        if (!(found = fit(tried)))
            return;
        tried.fit = *found;
    }
    for (std::size_t i = tried.has_constant; i < tried.fit.coefficients; i++)
        if (tried.terms > 0 && tried.fit.coefficient[i] <= 0)
            return;
    // What falls would hide that a negative constant makes the smallest values negative.
    if (tried.has_constant && tried.fit.coefficient[0] < 0)
        for (std::size_t i = 0; i < tried.terms; i++)
            if (falls(products_[tried.product[i]]))
                return;
    tried.error = error_of(tried);
    kept_.push_back(tried);
}

// Repetitions show the noise. If points are farther from the model than their repetitions explain
// (measurements that are reproduced, but not on a smooth line), only their distances count (Draper
// and Smith, "Applied Regression Analysis", 3rd ed., section 2.1: lack of fit).
Variance Hypotheses::variance(const Hypothesis& hypothesis) const {
    const std::size_t apart = regression_.points() - hypothesis.fit.coefficients;
    const std::size_t repeated = values_.repetition_freedom;
    const auto mean_square = [](double squares, std::size_t freedom) {
        return freedom == 0 ? 0 : squares / static_cast<double>(freedom);
    };
    const double lack = mean_square(hypothesis.fit.squares, apart);
    const double pure = mean_square(values_.repetition_squares, repeated);
    Variance result{lack, apart};
    if (apart == 0 || (repeated > 0 && lack < pure * f_limit(apart, repeated, 0.05)))
        result = {
            mean_square(hypothesis.fit.squares + values_.repetition_squares, apart + repeated),
            apart + repeated};
    result.variance = std::max(result.variance, least_variance);
    return result;
}

bool Hypotheses::is_explained(const Hypothesis& hypothesis, double chance) const {
    const std::size_t apart = regression_.points() - hypothesis.fit.coefficients;
    const std::size_t repeated = values_.repetition_freedom;
    if (apart == 0)
        return true;
    const double pure =
        std::max(repeated == 0 ? 0 : values_.repetition_squares / static_cast<double>(repeated),
                 least_variance);
    return hypothesis.fit.squares / static_cast<double>(apart) <
           pure * f_limit(apart, std::max(repeated, std::size_t{1}), chance);
}

bool Hypotheses::is_doubtful(const Hypothesis& constant) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const Hypothesis& one) {
        return one.terms == 1 && improves(one, constant, often);
    });
}

double Hypotheses::at(const Hypothesis& hypothesis, std::size_t place) const {
    double value = hypothesis.has_constant ? hypothesis.fit.coefficient[0] : 0;
    for (std::size_t i = 0; i < hypothesis.terms; i++)
        value += hypothesis.fit.coefficient[i + hypothesis.has_constant] *
                 columns_[hypothesis.product[i]][place];
    return value;
}

bool Hypotheses::is_significant(const Hypothesis& hypothesis) const {
    const Variance noise = variance(hypothesis);
    const double limit = limit_of_one(noise.freedom);
    if (constant_squares_ - hypothesis.fit.squares < noise.variance * limit)
        return false;
    for (std::size_t i = hypothesis.has_constant; i < hypothesis.fit.coefficients; i++)
        if (!(hypothesis.fit.t_squared(i, noise.variance) > limit))
            return false;
    return true;
}

// Whether the additional terms explain more than chance would.
bool Hypotheses::is_clearly_better(const Hypothesis& larger, const Hypothesis& smaller,
                                   double chance) const {
    const Variance noise = variance(larger);
    const std::size_t more = larger.terms - smaller.terms;
    return smaller.fit.squares - larger.fit.squares >
           noise.variance * static_cast<double>(more) * f_limit(more, noise.freedom, chance);
}

const Hypothesis& Hypotheses::best(double chance_of_more) const {
    const Hypothesis* best = &kept_.front();
    const auto is_exact = [this](const Hypothesis& hypothesis) {
        return hypothesis.fit.squares <= least_variance * static_cast<double>(regression_.points());
    };
    for (std::size_t terms = 1; terms <= most_terms && !is_exact(*best); terms++) {
        const Hypothesis* of_these = nullptr;
        for (const Hypothesis& one : kept_)
            if (one.terms == terms && (!of_these || one.error < of_these->error) &&
                is_significant(one))
                of_these = &one;
        if (of_these && of_these->error < best->error &&
            (terms == 1 || is_clearly_better(*of_these, *best, chance_of_more)))
            best = of_these;
    }
    return *best;
}

// The noise is that of the term: with it, values that grow are not noise.
bool Hypotheses::improves(const Hypothesis& term, const Hypothesis& constant, double chance) const {
    const Variance noise = variance(term);
    return constant.fit.squares - term.fit.squares >
           noise.variance * f_limit(1, noise.freedom, chance);
}

std::vector<const Hypothesis*> Hypotheses::about_as_good(const Hypothesis& best) const {
    std::vector<const Hypothesis*> result{&best};
    const Variance noise = variance(best);
    const double chance = noise.variance * f_limit(1, noise.freedom, doubt);
    for (const Hypothesis& one : kept_) {
        const bool alike = best.terms == 0 ? one.terms == 1 && improves(one, best, doubt)
                                           : one.terms <= best.terms &&
                                                 one.fit.squares - best.fit.squares < chance;
        if (alike)
            result.push_back(&one);
    }
    return result;
}

ScalingModel Hypotheses::model(const Hypothesis& hypothesis) const {
    ScalingModel model;
    if (hypothesis.has_constant)
        model.constant = hypothesis.fit.coefficient[0];
    for (std::size_t i = 0; i < hypothesis.terms; i++)
        model.terms.push_back({hypothesis.fit.coefficient[i + hypothesis.has_constant],
                               products_[hypothesis.product[i]]});
    std::sort(model.terms.begin(), model.terms.end(), [](const Term& a, const Term& b) {
        return growth({0, {b}}) < growth({0, {a}});
    });
    return model;
}

double Hypotheses::spread(const Hypothesis& hypothesis) const {
    const Variance noise = variance(hypothesis);
    return noise.variance * f_limit(1, noise.freedom, doubt);
}

std::array<double, 2> Hypotheses::prediction(const Hypothesis& hypothesis,
                                             std::span<const double> parameters,
                                             double spread) const {
    std::array<double, most_terms + 1> columns{};
    std::size_t used = 0;
    if (hypothesis.has_constant)
        columns[used++] = 1;
    for (std::size_t i = 0; i < hypothesis.terms; i++)
        columns[used++] = value_of(products_[hypothesis.product[i]], parameters);
    double value = 0;
    for (std::size_t i = 0; i < used; i++)
        value += columns[i] * hypothesis.fit.coefficient[i];
    return {value, std::sqrt(hypothesis.fit.variance_at({columns.data(), used}, spread))};
}

}  // namespace vftrace
