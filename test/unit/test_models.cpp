// Performance models: known functions are recovered from their values with noise, and constants
// yield no model.
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "model/modeller.hpp"

using namespace vftrace;

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// What runs would measure: the value of `f` for each run, with a relative error of this standard
// deviation.
std::vector<double> measured(const std::vector<std::vector<double>>& runs,
                             const std::function<double(const std::vector<double>&)>& f,
                             double noise, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> error(0, noise);
    std::vector<double> values;
    for (const std::vector<double>& run : runs)
        values.push_back(f(run) * (1 + (noise > 0 ? error(random) : 0)));
    return values;
}

// first, first * factor, ...: `count` values, each `repetitions` times.
std::vector<std::vector<double>> line(double first, double factor, int count, int repetitions) {
    std::vector<std::vector<double>> runs;
    for (int i = 0; i < count; i++)
        runs.insert(runs.end(), static_cast<std::size_t>(repetitions),
                    {first * std::pow(factor, i)});
    return runs;
}

std::vector<std::vector<double>> grid(int repetitions) {
    std::vector<std::vector<double>> runs;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            runs.insert(runs.end(), static_cast<std::size_t>(repetitions),
                        {64 * std::pow(4, i), 2 * std::pow(4, j)});
    return runs;
}

PathModel model_of(const std::vector<std::vector<double>>& runs,
                   const std::vector<double>& values) {
    const std::vector<std::string> names{"n", "p"};
    const std::size_t parameters = runs.front().size();
    std::vector<double> target = runs.back();
    for (double& value : target)
        value *= 2;
    // The grid of points to which the model refers is destroyed with the modeller; it is not used
    // here.
    const Modeller modeller(
        {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(parameters)}, runs, target);
    const std::optional<PathModel> model =
        modeller.model(values, AllowedParameters::all(parameters));
    REQUIRE(model);
    return *model;
}

std::string text_of(const ScalingModel& model) {
    const std::vector<std::string> names{"n", "p"};
    return growth_order(model, names);
}

struct Known {
    std::function<double(double)> f;
    Exponents exponents;
};
const Known known[] = {{[](double n) { return 2 + 0.5 * std::log2(n); }, {0, 1, 1}},
                       {[](double n) { return 1 + 0.3 * std::sqrt(n); }, {1, 2, 0}},
                       {[](double n) { return 0.5 + 0.1 * std::pow(n, 2.0 / 3); }, {2, 3, 0}},
                       {[](double n) { return 3 + 0.05 * n; }, {1, 1, 0}},
                       {[](double n) { return 0.2 + 0.01 * n * std::log2(n); }, {1, 1, 1}},
                       {[](double n) { return 1 + 0.01 * std::pow(n, 4.0 / 3); }, {4, 3, 0}},
                       {[](double n) { return 1 + 0.003 * std::pow(n, 1.5); }, {3, 2, 0}},
                       {[](double n) { return 0.1 + 1e-4 * n * n; }, {2, 1, 0}},
                       {[](double n) { return 0.1 + 1e-5 * n * n * std::log2(n); }, {2, 1, 1}},
                       {[](double n) { return 2 + 1e-6 * n * n * n; }, {3, 1, 0}}};

// The number of steps between two entries of the list of all exponents, slowest growth first.
int steps_between(const Exponents& a, const Exponents& b) {
    const ExponentSet set;
    const std::span<const Exponents> all = set.growing();
    const auto place = [&](const Exponents& e) {
        return std::find(all.begin(), all.end(), e) - all.begin();
    };
    return static_cast<int>(std::abs(place(a) - place(b)));
}

}  // namespace

TEST_CASE("the exponents of ten functions are found in values with 5 % noise", "[model]") {
    const std::vector<std::vector<double>> runs = line(16, 4, 8, 5);
    for (unsigned seed = 1; seed <= 5; seed++) {
        int exact = 0;
        for (const Known& one : known) {
            const PathModel model = model_of(
                runs, measured(
                          runs, [&](const auto& run) { return one.f(run[0]); }, 0.05, seed));
            INFO("seed " << seed << ", found " << text_of(model.model));
            REQUIRE(model.model.terms.size() == 1);
            const Exponents found = model.model.terms[0].factors[0].exponents;
            CHECK(steps_between(found, one.exponents) <= 1);
            exact += found == one.exponents;
        }
        CHECK(exact >= 9);
    }
}

TEST_CASE("constants with 5 % noise have no other model", "[model]") {
    const std::vector<std::vector<double>> runs = line(16, 4, 8, 5);
    for (unsigned seed = 1; seed <= 5; seed++)
        for (int constant = 1; constant <= 10; constant++) {
            const PathModel model =
                model_of(runs, measured(
                                   runs, [&](const auto&) { return constant; }, 0.05,
                                   1000 * seed + static_cast<unsigned>(constant)));
            INFO("seed " << seed << ", constant " << constant << ": " << text_of(model.model));
            CHECK(model.model.is_constant());
            CHECK(model.model.constant == Approx(constant).epsilon(0.05));
        }
}

TEST_CASE("sums and products of two parameters are distinguished", "[model]") {
    const std::vector<std::vector<double>> runs = grid(3);
    const auto order = [&](const std::function<double(double, double)>& f) {
        return text_of(
            model_of(runs, measured(
                               runs, [&](const auto& run) { return f(run[0], run[1]); }, 0.02, 7))
                .model);
    };
    CHECK(order([](double n, double p) { return 1 + 1e-3 * n * n * p; }) == "n^2 * p");
    CHECK(order([](double n, double p) { return 1 + 0.1 * n * std::log2(p); }) == "n * log2(p)");
    CHECK(order([](double n, double p) { return 0.1 * n / p; }) == "n * p^(-1)");
    CHECK(order([](double, double p) { return 2 + 0.1 * std::pow(p, 1.5); }) == "p^(3/2)");
    CHECK(order([](double, double) { return 3; }) == "1");
    const std::string sum = order([](double n, double p) { return 1 + 0.1 * n + 2 * p; });
    CHECK((sum == "n + p" || sum == "p + n"));
}

TEST_CASE("an analysis restricts which parameters a model has", "[model]") {
    const std::vector<std::vector<double>> runs = grid(2);
    const Modeller modeller({"n", "p"}, runs, {1e5, 1e4});
    const std::vector<double> values = measured(
        runs, [](const auto& run) { return 1 + run[0] * run[1]; }, 0.02, 3);
    CHECK(modeller.model(values, {})->model.is_constant());
    const std::optional<PathModel> of_first = modeller.model(values, {{{0}}});
    for (const Term& term : of_first->model.terms)
        CHECK((term.factors.size() == 1 && term.factors[0].parameter == 0));
    const std::optional<PathModel> of_sum = modeller.model(values, {{{0}, {1}}});
    for (const Term& term : of_sum->model.terms)
        CHECK(term.factors.size() == 1);
    CHECK(text_of(modeller.model(values, {{{0, 1}}})->model) == "n * p");
}

TEST_CASE("counts without noise have exact models", "[model]") {
    const std::vector<std::vector<double>> runs = line(10, 2, 6, 1);
    const PathModel less_one =
        model_of(runs, measured(
                           runs, [](const auto& run) { return run[0] - 1; }, 0, 1));
    CHECK(less_one.model.constant == Approx(-1));
    CHECK(text_of(less_one.model) == "n");
    CHECK(less_one.target.value == Approx(2 * runs.back()[0] - 1));
    CHECK(less_one.target.to - less_one.target.from < 1);
    const PathModel constant = model_of(runs, measured(
                                                  runs, [](const auto&) { return 5; }, 0, 1));
    CHECK(constant.model.is_constant());
    const PathModel zero = model_of(runs, std::vector<double>(runs.size(), 0.0));
    CHECK((zero.model.is_constant() && zero.model.constant == 0));
}

TEST_CASE("two terms are found if there are enough points", "[model]") {
    const std::vector<std::vector<double>> runs = line(1, 2, 10, 5);
    const PathModel model = model_of(
        runs, measured(
                  runs, [](const auto& run) { return 100 / run[0] + 2 * run[0]; }, 0.01, 4));
    REQUIRE(model.model.terms.size() == 2);
    CHECK(model.model.terms[0].factors[0].exponents == Exponents{1, 1, 0});
    CHECK(model.model.terms[1].factors[0].exponents == Exponents{-1, 1, 0});
}

TEST_CASE("growth is not called constant, whatever its form", "[model]") {
    const auto found = [](std::vector<double> points, const std::function<double(double)>& f,
                          int repetitions, double noise) {
        std::vector<std::vector<double>> runs;
        for (const double point : points)
            runs.insert(runs.end(), static_cast<std::size_t>(repetitions), {point});
        return model_of(runs, measured(
                                  runs, [&](const auto& run) { return f(run[0]); }, noise, 5));
    };
    const std::vector<double> doublings{8, 16, 32, 64, 128}, sizes{10, 14, 18, 28, 40};
    for (const auto& [repetitions, noise] : {std::pair{1, 0.0}, {3, 0.02}}) {
        INFO(repetitions << " repetitions, noise " << noise);
        CHECK(text_of(found(
                          {8, 12, 16, 24, 32}, [](double n) { return 1e-8 * n * n * n * n; },
                          repetitions, noise)
                          .model) == "n^4");
        CHECK(text_of(found(
                          doublings, [](double n) { return std::pow(n, 3.5); }, repetitions, noise)
                          .model) == "n^(7/2)");
        // Times of LULESH, run to its end.
        std::map<double, double> times{
            {10, 0.039}, {14, 0.134}, {18, 0.38}, {28, 2.29}, {40, 9.84}};
        const PathModel lulesh = found(
            sizes, [&](double n) { return times.at(n); }, repetitions, noise);
        CHECK(lulesh.finding == GrowthFinding::formula);
        CHECK(text_of(lulesh.model) == "n^4");

        const PathModel steep = found(
            {1, 2, 3, 4, 5}, [](double n) { return std::exp(n); }, repetitions, noise);
        REQUIRE(steep.finding == GrowthFinding::no_formula);
        CHECK(steep.bound->powers[0] == Approx(2.5).margin(0.2));
        CHECK(steep.target.from > 148);
        CHECK(std::isinf(steep.target.to));
        CHECK(std::isnan(steep.target.value));

        const PathModel step = found(
            doublings, [](double n) { return n > 40 ? 50 : 1; }, repetitions, noise);
        REQUIRE(step.finding == GrowthFinding::two_formulas);
        CHECK((step.bend->last_below == 32 && step.bend->first_above == 64));
        CHECK(step.bend->below.constant == Approx(1).epsilon(0.05));
        CHECK(step.model.constant == Approx(50).epsilon(0.05));

        const PathModel cache = found(
            {16, 32, 64, 128, 256, 512, 1024, 2048},
            [](double n) { return n * n * n * (n > 100 ? 10 : 1); }, repetitions, noise);
        const auto is_cubic = [](const ScalingModel& model) {
            return std::abs(growth(model).power - 3) <= 0.5;
        };
        REQUIRE(cache.finding == GrowthFinding::two_formulas);
        CHECK(is_cubic(cache.model));
        CHECK(is_cubic(cache.bend->below));
        CHECK((cache.bend->last_below == 64 && cache.bend->first_above == 128));
    }
}

TEST_CASE("one wrong point of five does not hide the growth", "[model]") {
    const std::vector<std::vector<double>> runs = line(16, 2, 5, 3);
    for (int bad = 0; bad < 5; bad++) {
        const double wrong = 16 * std::pow(2, bad);
        const PathModel model = model_of(
            runs,
            measured(
                runs,
                [&](const auto& run) { return std::pow(run[0], 1.5) * (run[0] == wrong ? 2 : 1); },
                0.02, 5));
        INFO("the point at " << wrong);
        CHECK(model.finding != GrowthFinding::constant);
        CHECK(model.finding != GrowthFinding::unclear);
        if (bad == 0 || bad == 4)
            continue;  // may as well be the begin of another formula
        CHECK(text_of(model.model) == "n^(3/2)");
        CHECK(model.left_out == std::vector<std::uint32_t>{static_cast<std::uint32_t>(bad)});
    }
}

TEST_CASE("slow growth in noise is in doubt, not constant", "[model]") {
    const std::vector<std::vector<double>> runs = line(64, 2, 5, 3);
    const auto slow = [](const std::vector<double>& run) {
        return 0.5 + 0.5 * std::log2(run[0]) / 6;
    };
    int in_doubt = 0;
    for (unsigned seed = 1; seed <= 50; seed++) {
        const PathModel model = model_of(runs, measured(runs, slow, 0.05, seed));
        CHECK(model.finding != GrowthFinding::constant);
        in_doubt += model.finding == GrowthFinding::unclear;
    }
    CHECK(in_doubt > 0);
}

TEST_CASE("own exponents, powers up to 5, other statistics", "[model]") {
    const std::vector<std::vector<double>> runs = line(8, 2, 5, 3);
    const auto model_with = [&](const ModelOptions& options, double power) {
        const Modeller modeller({"n"}, runs, {256}, options);
        const std::vector<double> values = measured(
            runs, [&](const auto& run) { return std::pow(run[0], power); }, 0.02, 6);
        return modeller.model(values, AllowedParameters::all(1));
    };
    ModelOptions options;
    CHECK(model_with(options, 5)->finding == GrowthFinding::no_formula);
    options.exponents.add_powers_up_to_5();
    CHECK(text_of(model_with(options, 5)->model) == "n^5");
    const Exponents powers[] = {{0, 1, 0}, {7, 5, 0}};
    const std::int8_t logs[] = {0, 1};
    options.exponents = ExponentSet(powers, logs);
    CHECK(options.exponents.growing().size() == 3);
    CHECK(text_of(model_with(options, 1.4)->model) == "n^(7/5)");

    const std::vector<double> values{1, 2, 4, 3, 3, 9};
    const std::vector<std::uint32_t> point_of{0, 0, 0, 1, 1, 1};
    const auto first_of = [&](PointStatistic statistic) {
        return values_by_point(values, point_of, 2, statistic).points[0].value;
    };
    CHECK(first_of(PointStatistic::median) == 2);
    CHECK(first_of(PointStatistic::minimum) == 1);
    CHECK(first_of(PointStatistic::mean) == Approx(7.0 / 3));
}

TEST_CASE("the interval of a prediction has the truth in it", "[model]") {
    const std::vector<std::vector<double>> runs = line(16, 2, 6, 3);
    int inside = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        const PathModel model = model_of(
            runs, measured(
                      runs, [](const auto& run) { return 1 + 0.02 * run[0]; }, 0.05, seed));
        const double truth = 1 + 0.02 * 2 * runs.back()[0];
        inside += model.target.from <= truth && truth <= model.target.to;
        CHECK((model.target.from <= model.target.value && model.target.value <= model.target.to));
    }
    CHECK(inside >= 36);
}

TEST_CASE("runs that lack a path, and too few runs", "[model]") {
    const std::vector<std::vector<double>> runs = line(16, 2, 6, 1);
    const Modeller modeller({"n"}, runs, {1e3});
    std::vector<double> values = measured(
        runs, [](const auto& run) { return run[0]; }, 0, 1);
    values[0] = values[1] = no_value;
    const std::optional<PathModel> of_four = modeller.model(values, AllowedParameters::all(1));
    REQUIRE(of_four);
    CHECK(of_four->points.size() == 4);
    values[2] = values[3] = no_value;
    CHECK_FALSE(modeller.model(values, AllowedParameters::all(1)));
    CHECK_FALSE(modeller.model(std::vector<double>(6, no_value), AllowedParameters::all(1)));
}

TEST_CASE("one disturbed run of several does not move its point", "[model]") {
    const std::vector<double> values{1, 1.1, 9, 2, 2};
    const std::vector<std::uint32_t> point_of{0, 0, 0, 1, 1};
    const PointValues points = values_by_point(values, point_of, 2);
    CHECK(points.points[0].value == Approx(1.05));
    CHECK(points.points[0].largest == 9);
    CHECK(points.points[1].value == 2);
    CHECK(points.repetition_freedom == 2);
    CHECK(points.disturbed_runs == 1);
}

TEST_CASE("formulas are printed in the usual notation", "[model]") {
    const std::vector<std::string> names{"n", "p"};
    const ScalingModel model{2.1,
                             {{0.034, {{0, {3, 2, 1}}}}, {1, {{0, {1, 1, 0}}, {1, {-1, 1, 0}}}}}};
    CHECK(formula(model, names) == "2.1 + 0.034 * n^(3/2) * log2(n) + n * p^(-1)");
    CHECK(formula({-1, {{1, {{0, {1, 1, 0}}}}}}, names) == "-1 + n");
    CHECK(formula({0, {{2, {{1, {0, 1, 2}}}}}}, names) == "2 * log2(p)^2");
    CHECK(formula({0, {}}, names) == "0");
    CHECK(growth_order({1, {{1, {{1, {-1, 2, 0}}}}}}, names) == "1");
}
