#include "model/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <Eigen/Core>

namespace vftrace {
namespace {

// A second term of the same parameter needs two more values than one term does.
constexpr std::size_t values_for_two_terms = wanted_values + 2;
constexpr std::size_t pairs_to_try = 8;
// How rarely chance may explain a further term, from thousands of pairs or a hundred sums.
constexpr double chance_of_pairs = 1e-7, chance_of_sums = 1e-5;

// Exponents are plausible if their squares, in variances of a run, exceed the least ones by less.
constexpr double plausible_squares = 8;

constexpr std::size_t most_plausible(std::size_t parameters) {
    return parameters <= 2 ? 12 : parameters == 3 ? 5 : 3;
}

constexpr std::uint32_t no_place = 0xffffffff;

std::vector<Exponents> exponents_for(const PointValues& values, const PointGrid& grid,
                                     std::uint32_t parameter, const ExponentSet& known) {
    // Below 1, logarithms are negative, and their squares do not grow.
    const bool has_logs =
        std::all_of(values.points.begin(), values.points.end(), [&](const PointValue& value) {
            return grid.points()[value.point][parameter] >= 1;
        });
    std::vector<Exponents> result;
    for (const std::span<const Exponents> some : {known.shrinking(), known.growing()})
        for (const Exponents& exponents : some)
            if (has_logs || exponents.log == 0)
                result.push_back(exponents);
    return result;
}

// The pairs of added terms whose sums fit best: by the squares of the residuals, which come from
// one matrix for all pairs.
std::vector<std::array<std::uint32_t, 2>> best_pairs(const PointValues& values,
                                                     const Hypotheses& hypotheses) {
    const auto points = static_cast<Eigen::Index>(values.points.size());
    const auto terms = static_cast<Eigen::Index>(hypotheses.products().size());
    Eigen::MatrixXd x(points, terms);
    Eigen::VectorXd y(points), constant(points);
    for (Eigen::Index i = 0; i < points; i++) {
        const PointValue& value = values.points[static_cast<std::size_t>(i)];
        constant[i] = std::sqrt(value.weight) / value.scale;
        y[i] = value.value * constant[i];
        for (Eigen::Index j = 0; j < terms; j++)
            x(i, j) = constant[i] *
                      hypotheses.column(static_cast<std::uint32_t>(j))[static_cast<std::size_t>(i)];
    }
    // The residual after the constant, in columns of length 1.
    constant.normalize();
    y -= constant * constant.dot(y);
    for (Eigen::Index j = 0; j < terms; j++) {
        x.col(j) -= constant * constant.dot(x.col(j));
        x.col(j).normalize();
    }
    const Eigen::MatrixXd like = x.transpose() * x;
    const Eigen::VectorXd with_y = x.transpose() * y;

    struct Pair {
        double explained;
        std::array<std::uint32_t, 2> terms;
    };
    std::vector<Pair> pairs;
    for (Eigen::Index a = 0; a < terms; a++)
        for (Eigen::Index b = 0; b < a; b++) {
            const double determinant = 1 - like(a, b) * like(a, b);
            if (!(determinant > 1e-9))
                continue;
            const double of_a = (with_y[a] - like(a, b) * with_y[b]) / determinant;
            const double of_b = (with_y[b] - like(a, b) * with_y[a]) / determinant;
            if (of_a > 0 && of_b > 0)
                pairs.push_back({of_a * with_y[a] + of_b * with_y[b],
                                 {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)}});
        }
    const std::size_t best = std::min(pairs_to_try, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(best), pairs.end(),
                      [](const Pair& a, const Pair& b) { return a.explained > b.explained; });
    std::vector<std::array<std::uint32_t, 2>> result;
    for (std::size_t i = 0; i < best; i++)
        result.push_back(pairs[i].terms);
    return result;
}

// Points of one line, and how well y = a + b t describes them when each is left out in turn.
class Line {
  public:
    Line(const std::vector<std::uint32_t>& points, const std::vector<std::uint32_t>& place_of,
         const PointValues& values)
        : points_(points) {
        for (const std::uint32_t point : points) {
            const PointValue& value = values.points[place_of[point]];
            y_.push_back(value.value);
            weight_.push_back(value.weight / (value.scale * value.scale));
        }
    }

    // Squares of relative errors of y = a + b t, and `price` for the constant if it is needed;
    // infinite if they cannot be determined. `t` by point.
    double error(const std::vector<double>& t, double price) const {
        double w = 0, wt = 0, wtt = 0, wy = 0, wty = 0;
        for (std::size_t i = 0; i < points_.size(); i++) {
            const double x = t[points_[i]];
            w += weight_[i], wt += weight_[i] * x, wtt += weight_[i] * x * x;
            wy += weight_[i] * y_[i], wty += weight_[i] * x * y_[i];
        }
        const double determinant = w * wtt - wt * wt;
        if (!(determinant > 1e-12 * w * wtt))
            return std::numeric_limits<double>::infinity();
        const double b = (w * wty - wt * wy) / determinant, a = (wy - b * wt) / w;
        if (b <= 0)
            return squares(t, wy / w, 0);
        const double alone = squares(t, 0, wty / wtt);
        return a <= 0 ? alone : std::min(squares(t, a, b) + price, alone);
    }

  private:
    double squares(const std::vector<double>& t, double a, double b) const {
        double sum = 0;
        for (std::size_t i = 0; i < points_.size(); i++) {
            const double error = y_[i] - a - b * t[points_[i]];
            sum += weight_[i] * error * error;
        }
        return sum;
    }

    std::vector<std::uint32_t> points_;
    std::vector<double> y_, weight_;
};

// The exponents of a parameter, best first, and how many of them may be the right ones.
struct Along {
    std::vector<Exponents> exponents;
    std::size_t plausible = 0;
};

// The exponents that describe the lines along a parameter best; each line has its own coefficients,
// so that the effect of the other parameters does not matter.
Along sorted_along(std::uint32_t parameter, const PointValues& values, const PointGrid& grid,
                   const ExponentSet& known) {
    std::vector<std::uint32_t> place_of(grid.points().size(), no_place);
    for (std::uint32_t i = 0; i < values.points.size(); i++)
        place_of[values.points[i].point] = i;
    std::vector<Line> lines;
    for (std::vector<std::uint32_t> line : grid.lines(parameter)) {
        std::erase_if(line, [&](std::uint32_t point) { return place_of[point] == no_place; });
        if (line.size() >= least_values)
            lines.emplace_back(line, place_of, values);
    }
    struct Rated {
        double error;
        Exponents exponents;
    };
    const double variance = values.noise() * values.noise();
    std::vector<Rated> rated;
    for (const Exponents& exponents : exponents_for(values, grid, parameter, known)) {
        Rated& one = rated.emplace_back(Rated{0, exponents});
        for (const Line& line : lines)
            one.error += line.error(grid.column({parameter, exponents}), 2 * variance);
    }
    std::stable_sort(rated.begin(), rated.end(),
                     [](const Rated& a, const Rated& b) { return a.error < b.error; });
    Along result;
    for (const Rated& one : rated) {
        result.exponents.push_back(one.exponents);
        result.plausible += one.error - rated.front().error <= plausible_squares * variance;
    }
    return result;
}

// Calls use(choice) for each way to choose one of the first limits[i] numbers at each place i.
template <class Use>
void for_each_choice(std::span<const std::size_t> limits, Use use) {
    std::vector<std::size_t> choice(limits.size(), 0);
    for (std::size_t place = 0; place < limits.size();) {
        use(choice);
        for (place = 0; place < limits.size() && ++choice[place] == limits[place]; place++)
            choice[place] = 0;
    }
}

// The products of some parameters' terms, each added once.
class ProductsOf {
  public:
    ProductsOf(std::span<const std::uint32_t> parameters, Hypotheses& hypotheses)
        : parameters_(parameters), hypotheses_(hypotheses) {}

    // The product of the parameters whose bits are set, by place; `exponents` by place.
    std::uint32_t product(std::span<const Exponents> exponents, std::uint32_t subset) {
        Product product;
        for (std::size_t i = 0; i < parameters_.size(); i++)
            if (subset >> i & 1)
                product.push_back({parameters_[i], exponents[i]});
        for (std::uint32_t i = 0; i < hypotheses_.products().size(); i++)
            if (hypotheses_.products()[i] == product)
                return i;
        return hypotheses_.add_product(std::move(product));
    }

    // The same for parameters whose bits are set by their index.
    std::uint32_t product_of(std::span<const Exponents> exponents, std::uint32_t mask) {
        std::uint32_t subset = 0;
        for (std::size_t i = 0; i < parameters_.size(); i++)
            subset |= (mask >> parameters_[i] & 1) << i;
        return product(exponents, subset);
    }

  private:
    std::span<const std::uint32_t> parameters_;
    Hypotheses& hypotheses_;
};

// The sets of parameters that may be multiplied, bits by place.
std::vector<std::uint32_t> allowed_subsets(std::span<const std::uint32_t> parameters,
                                           const AllowedParameters& allowed) {
    std::vector<std::uint32_t> subsets;
    for (std::uint32_t subset = 1; subset < 1U << parameters.size(); subset++) {
        std::uint32_t mask = 0;
        for (std::size_t i = 0; i < parameters.size(); i++)
            mask |= (subset >> i & 1) << parameters[i];
        if (allowed.may_multiply(mask))
            subsets.push_back(subset);
    }
    return subsets;
}

// One more term for a hypothesis, with exponents that may go in a different direction: what shrinks
// with more ranks often has a part that grows.
void consider_one_more(const Hypothesis& best, Hypotheses& hypotheses) {
    if (best.terms == 0 || best.terms == most_terms)
        return;
    std::vector<std::uint32_t> sum(best.product.begin(),
                                   best.product.begin() + static_cast<std::ptrdiff_t>(best.terms));
    sum.push_back(0);
    const auto products = static_cast<std::uint32_t>(hypotheses.products().size());
    for (std::uint32_t product = 0; product < products; product++)
        if (sum.back() = product; std::count(sum.begin(), sum.end(), product) == 1)
            hypotheses.consider(sum);
}

// The sets of parameters in the products of a sum: its shape.
std::vector<std::uint32_t> shape_of(const Hypothesis& hypothesis, const Hypotheses& hypotheses) {
    std::vector<std::uint32_t> shape;
    for (std::size_t i = 0; i < hypothesis.terms; i++) {
        std::uint32_t mask = 0;
        for (const Factor& factor : hypotheses.products()[hypothesis.product[i]])
            mask |= 1U << factor.parameter;
        shape.push_back(mask);
    }
    std::sort(shape.begin(), shape.end());
    return shape;
}

// All plausible exponents for the shapes that describe the values about as well as the best one:
// they show how certain a prediction is. `tried`: what need not be tried again; sorted.
void consider_plausible(std::span<const Along> along, ProductsOf& products, Hypotheses& hypotheses,
                        const std::vector<std::vector<std::uint32_t>>& tried) {
    std::set<std::vector<std::uint32_t>> shapes;
    for (const Hypothesis* one : hypotheses.about_as_good(hypotheses.best(chance_of_sums)))
        shapes.insert(shape_of(*one, hypotheses));
    std::vector<std::size_t> limits;
    for (const Along& of_parameter : along)
        limits.push_back(
            std::clamp(of_parameter.plausible, std::size_t{1}, most_plausible(along.size())));
    std::vector<Exponents> exponents(along.size());
    std::set<std::vector<std::uint32_t>> more;
    for_each_choice(limits, [&](const std::vector<std::size_t>& choice) {
        for (std::size_t i = 0; i < along.size(); i++)
            exponents[i] = along[i].exponents[choice[i]];
        for (const std::vector<std::uint32_t>& shape : shapes) {
            std::vector<std::uint32_t> sum;
            for (const std::uint32_t mask : shape)
                sum.push_back(products.product_of(exponents, mask));
            if (!sum.empty() && !std::binary_search(tried.begin(), tried.end(), sum))
                more.insert(std::move(sum));
        }
    });
    for (const std::vector<std::uint32_t>& sum : more)
        hypotheses.consider(sum);
}

}  // namespace

const Hypothesis& best_of_one_parameter(std::uint32_t parameter, const PointValues& values,
                                        const PointGrid& grid, const ExponentSet& known,
                                        Hypotheses& hypotheses) {
    for (const Exponents& exponents : exponents_for(values, grid, parameter, known)) {
        const std::uint32_t product = hypotheses.add_product({{parameter, exponents}});
        hypotheses.consider({&product, 1});
    }
    if (values.points.size() >= values_for_two_terms)
        for (const std::array<std::uint32_t, 2>& pair : best_pairs(values, hypotheses))
            hypotheses.consider(pair);
    return hypotheses.best(chance_of_pairs);
}

const Hypothesis& best_of_several_parameters(std::span<const std::uint32_t> parameters,
                                             const PointValues& values, const PointGrid& grid,
                                             const AllowedParameters& allowed,
                                             const ExponentSet& known, Hypotheses& hypotheses) {
    // The number of hypotheses stays below a few hundred.
    constexpr std::size_t alternatives_of[] = {0, 0, 3, 2, 1};
    constexpr std::size_t terms_of[] = {0, 0, 3, 3, 2};
    const std::size_t count = parameters.size();
    const std::vector<std::uint32_t> subsets = allowed_subsets(parameters, allowed);
    std::vector<Along> along;
    for (const std::uint32_t parameter : parameters)
        along.push_back(sorted_along(parameter, values, grid, known));
    const std::vector<std::size_t> limits(count, alternatives_of[count]);
    ProductsOf products(parameters, hypotheses);
    std::vector<std::vector<std::uint32_t>> tried;
    std::vector<Exponents> exponents(count);
    for_each_choice(limits, [&](const std::vector<std::size_t>& choice) {
        for (std::size_t i = 0; i < count; i++)
            exponents[i] = along[i].exponents[choice[i]];
        std::vector<std::uint32_t> sum;
        const auto extend = [&](const auto& self, std::size_t first) -> void {
            if (!sum.empty())
                tried.push_back(sum);
            for (std::size_t i = first; i < subsets.size() && sum.size() < terms_of[count]; i++) {
                sum.push_back(products.product(exponents, subsets[i]));
                self(self, i + 1);
                sum.pop_back();
            }
        };
        extend(extend, 0);
    });
    // Sums without some parameter recur with each alternative of that one.
    std::sort(tried.begin(), tried.end());
    tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
    for (const std::vector<std::uint32_t>& sum : tried)
        hypotheses.consider(sum);
    consider_plausible(along, products, hypotheses, tried);
    // The best of a parameter's exponents that go in the opposite direction to its best.
    for (std::size_t i = 0; i < count; i++) {
        const std::vector<Exponents>& sorted = along[i].exponents;
        const bool grows = sorted.front().numerator >= 0;
        const auto other = std::find_if(sorted.begin(), sorted.end(), [&](const Exponents& e) {
            return (e.numerator >= 0) != grows;
        });
        exponents[i] = other == sorted.end() ? sorted.front() : *other;
    }
    for (const std::uint32_t subset : subsets)
        products.product(exponents, subset);
    const Hypothesis best = hypotheses.best(chance_of_sums);
    consider_one_more(best, hypotheses);
    return hypotheses.best(chance_of_sums);
}

}  // namespace vftrace
