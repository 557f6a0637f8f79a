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
constexpr double false_alarm = 2e-4, false_alarm_of_few = 1e-3;
constexpr std::size_t few_freedom = 10;

double limit_of_one(std::size_t freedom) {
    return f_limit(1, freedom, freedom < few_freedom ? false_alarm_of_few : false_alarm);
}
// Smaller relative errors are due to rounding; counts do not have any.
constexpr double least_variance = 1e-6 * 1e-6;

}  // namespace

Hypotheses::Hypotheses(const PointValues& values, const PointGrid& grid)
    : values_(values), grid_(grid), regression_(values), ones_(values.points.size(), 1.0) {
    consider({});
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

void Hypotheses::consider(std::span<const std::uint32_t> products) {
    Hypothesis tried;
    tried.terms = products.size();
    std::copy(products.begin(), products.end(), tried.product.begin());
    std::optional<LeastSquares> found = fit(tried);
    if (!found)
        return;
    tried.fit = *found;
    if (tried.terms > 0 && !needs_constant(tried)) {
        tried.has_constant = false;
        if (!(found = fit(tried)))
            return;
        tried.fit = *found;
    }
    for (std::size_t i = tried.has_constant; i < tried.fit.coefficients; i++)
        if (tried.terms > 0 && tried.fit.coefficient[i] <= 0)
            return;
    const std::size_t left_over = regression_.points() - tried.fit.coefficients;
    tried.error = left_over == 0 ? std::numeric_limits<double>::infinity()
                                 : tried.fit.left_out_squares / static_cast<double>(left_over);
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

bool Hypotheses::is_significant(const Hypothesis& hypothesis) const {
    const Variance noise = variance(hypothesis);
    const double limit = limit_of_one(noise.freedom);
    if (kept_.front().fit.squares - hypothesis.fit.squares < noise.variance * limit)
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

std::vector<const Hypothesis*> Hypotheses::about_as_good(const Hypothesis& best) const {
    std::vector<const Hypothesis*> result{&best};
    const Variance noise = variance(best);
    const double chance = noise.variance * f_limit(1, noise.freedom, 0.05);
    for (const Hypothesis& one : kept_) {
        const double more = one.fit.squares - best.fit.squares;
        // A constant is doubtful if a term would improve it by more than chance does.
        const bool alike = best.terms == 0 ? one.terms == 1 && -more > chance
                                           : one.terms <= best.terms && more < chance;
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

std::array<double, 2> Hypotheses::prediction(const Hypothesis& hypothesis,
                                             std::span<const double> parameters) const {
    std::array<double, most_terms + 1> columns{};
    std::size_t used = 0;
    if (hypothesis.has_constant)
        columns[used++] = 1;
    for (std::size_t i = 0; i < hypothesis.terms; i++)
        columns[used++] = value_of(products_[hypothesis.product[i]], parameters);
    double value = 0;
    for (std::size_t i = 0; i < used; i++)
        value += columns[i] * hypothesis.fit.coefficient[i];
    const Variance noise = variance(hypothesis);
    const double variance = hypothesis.fit.variance_at({columns.data(), used}, noise.variance);
    return {value, std::sqrt(variance) * t_of_95_percent(noise.freedom)};
}

}  // namespace vftrace
