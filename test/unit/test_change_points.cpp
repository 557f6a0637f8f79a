// Since when a figure is another one: simulated histories, and exact figures.
#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "history/change_points.hpp"
#include "history/history_text.hpp"

using namespace vftrace;

namespace {

// Run times with noise that is correlated from run to run; one run in twenty is slower by 10 to
// 30 %, because of something else on the machine; and, if `has_two_modes`, three in ten by 4 %.
struct Noise {
    double sigma, correlation;
    bool has_two_modes;
};

std::vector<double> history(std::mt19937& random, const Noise& noise, std::size_t runs,
                            std::size_t step_at, double step) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<double> values;
    double now = normal(random);
    for (std::size_t i = 0; i < runs; i++) {
        now = noise.correlation * now +
              std::sqrt(1 - noise.correlation * noise.correlation) * normal(random);
        double value = 1 + noise.sigma * now;
        if (uniform(random) < 0.05)
            value *= 1.1 + 0.2 * uniform(random);
        if (noise.has_two_modes && uniform(random) < 0.3)
            value *= 1.04;
        values.push_back(i >= step_at ? (1 + step) * value : value);
    }
    return values;
}

constexpr std::size_t histories = 1000, never = 1'000'000;

double false_alarms(const Noise& noise) {
    std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed): the same in each run
    std::size_t alarms = 0;
    for (std::size_t i = 0; i < histories; i++)
        alarms += !change_points(history(random, noise, 100, never, 0)).empty();
    return static_cast<double>(alarms) / histories;
}

// The part of the steps that are found within five runs.
double found(const Noise& noise, double step) {
    std::mt19937 random(4);  // NOLINT(bugprone-random-generator-seed): the same in each run
    std::size_t hits = 0;
    constexpr std::size_t before = 60, after = 5;
    for (std::size_t i = 0; i < histories; i++) {
        const std::vector<ChangePoint> changes =
            change_points(history(random, noise, before + after, before, step));
        hits += !changes.empty() && (changes.back().after > changes.back().before) == (step > 0);
    }
    return static_cast<double>(hits) / histories;
}

}  // namespace

TEST_CASE("histories without a change have few false ones", "[history]") {
    for (const Noise noise : {Noise{0.01, 0, false}, Noise{0.02, 0, false}, Noise{0.02, 0.5, false},
                              Noise{0.02, 0, true}, Noise{0.01, 0.5, true}}) {
        INFO("noise " << noise.sigma << ", correlation " << noise.correlation << ", two modes "
                      << noise.has_two_modes);
        CHECK(false_alarms(noise) <= 0.05);
    }
}

TEST_CASE("steps are found within five runs", "[history]") {
    CHECK(found({0.01, 0, false}, 0.10) >= 0.95);
    CHECK(found({0.02, 0, false}, 0.10) >= 0.95);
    CHECK(found({0.02, 0.5, false}, 0.10) >= 0.95);
    CHECK(found({0.02, 0, false}, -0.10) >= 0.9);
    // Smaller than what is called a change.
    CHECK(found({0.005, 0, false}, 0.03) <= 0.01);
}

TEST_CASE("changes have a place and two sides", "[history]") {
    std::vector<double> values(40, 1.0);
    for (std::size_t i = 20; i < 40; i++)
        values[i] = 1.2;
    for (std::size_t i = 0; i < 15; i++)
        values.push_back(0.9);
    const std::vector<ChangePoint> changes = change_points(values);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].index == 20);
    CHECK(changes[0].before == 1.0);
    CHECK(changes[0].after == 1.2);
    CHECK(changes[0].seen == 20);
    CHECK(changes[1].index == 40);
    CHECK(changes[1].ratio() == Approx(0.75));
    CHECK(changes[1].seen == 15);
    // Too short, constant, or nothing.
    CHECK(change_points(std::vector<double>{1, 1, 1, 2, 2, 2}).empty());
    CHECK(change_points(std::vector<double>(1000, 3.0)).empty());
    CHECK(change_points({}).empty());
}

TEST_CASE("exact figures change at once", "[history]") {
    using Values = std::vector<std::optional<std::uint64_t>>;
    const std::vector<ChangePoint> changes = exact_changes(Values{7, 7, {}, 7, 8, {}, 8});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].index == 4);
    CHECK(changes[0].before == 7);
    CHECK(changes[0].after == 8);
    CHECK(changes[0].seen == 2);
    CHECK(exact_changes(Values{7, 8, 7, 8, 7, 8}).empty());  // depends on something else
    CHECK(exact_changes(Values{{}, {}}).empty());
    CHECK(exact_changes({}).empty());
    Values many(100, 5);
    for (std::size_t i = 30; i < 100; i++)
        many[i] = 6;
    CHECK(exact_changes(many).size() == 1);
}

TEST_CASE("plots", "[history]") {
    HistoryLook look;
    look.columns = 4;
    CHECK(plot_of({1, 2, 3, 4}, look) == "_-+#");
    CHECK(plot_of({1, 1, 2, 2, 3, 3, 4, 4}, look) == "_-+#");
    CHECK(plot_of({5, 5}, look) == "__");
    CHECK(plot_of({}, look).empty());
    look.blocks = true;
    CHECK(plot_of({1, 2}, look) == "\u2581\u2588");
    CHECK(moment_text(0) == "1970-01-01 00:00");
}
