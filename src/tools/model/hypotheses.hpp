// Models that might describe the values of a path, and the choice of the best one.
//
// A hypothesis is a constant and up to three products. Its coefficients are fitted by least squares
// of relative errors; those of its products are not negative, because costs add up. All hypotheses
// that are tried are kept: the best one is the model, and those that describe the values about as
// well show how certain its prediction is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/least_squares.hpp"
#include "model/point_grid.hpp"
#include "model/point_values.hpp"
#include "model/scaling_model.hpp"

namespace vftrace {

inline constexpr std::size_t most_terms = 3;

struct Hypothesis {
    std::array<std::uint32_t, most_terms> product{};  // indices into Hypotheses::products()
    std::size_t terms = 0;
    bool has_constant = true;
    LeastSquares fit;  // the constant's coefficient first, if there is one
    // -2 times the logarithm of the likelihood, with a price for each coefficient (Akaike, "A New
    // Look at the Statistical Model Identification", 1974): less is better.
    double error = 0;
};

// Variance of a relative error, and with how many degrees of freedom it is known.
struct Variance {
    double variance = 0;
    std::size_t freedom = 0;
};

class Hypotheses {
  public:
    // `grid` has the points that `values` refers to.
    Hypotheses(const PointValues& values, const PointGrid& grid);

    std::uint32_t add_product(Product product);
    const std::vector<Product>& products() const { return products_; }
    // Values at the points, in the order of PointValues::points.
    const std::vector<double>& column(std::uint32_t product) const { return columns_[product]; }

    // Fits a hypothesis of these products and keeps it, unless a product would have a negative
    // coefficient. A negative constant is dropped if it is not certain.
    void consider(std::span<const std::uint32_t> products);

    // The best of those kept. A product must improve the fit by more than noise does;
    // `chance_of_more` is how rarely chance may explain what further ones do; lower if more are
    // tried.
    const Hypothesis& best(double chance_of_more) const;

    // Those that noise alone could make worse than `best`, and `best` itself.
    std::vector<const Hypothesis*> about_as_good(const Hypothesis& best) const;

    // Whether the repetitions explain how far points are from the hypothesis, unless they do so
    // with less than this probability.
    bool is_explained(const Hypothesis& hypothesis, double chance) const;
    // Whether a term would improve a constant by more than chance often does: not enough for a
    // model, too much for a constant.
    bool is_doubtful(const Hypothesis& constant) const;

    // The relative errors of a run, from the repetitions and from how well the hypothesis
    // fits.
    Variance variance(const Hypothesis& hypothesis) const;

    ScalingModel model(const Hypothesis& hypothesis) const;
    // The value of the hypothesis at a point, by its place in PointValues::points.
    double at(const Hypothesis& hypothesis, std::size_t place) const;
    // The prediction at a value of each parameter, and half of its interval; `spread`: spread().
    std::array<double, 2> prediction(const Hypothesis& hypothesis,
                                     std::span<const double> parameters, double spread) const;
    // The variance of a run, times the square of the half-width of an interval in standard errors.
    double spread(const Hypothesis& hypothesis) const;

  private:
    std::optional<LeastSquares> fit(const Hypothesis& hypothesis) const;
    double error_of(const Hypothesis& tried) const;
    bool needs_constant(const Hypothesis& tried) const;
    bool is_significant(const Hypothesis& hypothesis) const;
    // Whether the term improves the constant by more than chance does with this probability.
    bool improves(const Hypothesis& term, const Hypothesis& constant, double chance) const;
    bool is_clearly_better(const Hypothesis& larger, const Hypothesis& smaller,
                           double chance) const;

    const PointValues& values_;
    const PointGrid& grid_;
    Regression regression_;
    std::vector<double> ones_;
    double constant_squares_ = 0;  // of the errors of a constant
    std::vector<Product> products_;
    std::vector<std::vector<double>> columns_;
    std::vector<Hypothesis> kept_;  // the first is the constant alone
};

}  // namespace vftrace
