// Ratios of pairs, and verdicts about two programs.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "ab/paired_ratio.hpp"
#include "ab/verdict.hpp"

using namespace vftrace;

TEST_CASE("ratios of pairs have exact signed-rank intervals", "[ab]") {
    // Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", table 3.1 (depression
    // factors of nine patients): differences; estimate -0.46, and the 96 % interval is
    // (-0.786, -0.010).
    const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double first[9], second[9];
    for (int i = 0; i < 9; i++) {
        first[i] = std::exp(before[i]);
        second[i] = std::exp(after[i]);
    }
    const PairedRatio ratio = paired_ratio(first, second);
    CHECK(ratio.pairs == 9);
    CHECK(std::log(ratio.ratio) == Approx(-0.46).margin(0.005));
    CHECK(std::log(ratio.low) == Approx(-0.786).margin(0.005));
    CHECK(std::log(ratio.high) == Approx(-0.010).margin(0.005));
    CHECK(ratio.is_smaller());
    CHECK_FALSE(ratio.is_larger());
}

TEST_CASE("few pairs have no interval", "[ab]") {
    const double first[] = {1, 1, 1, 1, 1}, second[] = {2, 2, 2, 2, 2};
    const PairedRatio five = paired_ratio(first, second);
    CHECK(five.ratio == Approx(2));
    CHECK_FALSE(five.has_interval());
    CHECK(verdict_of(five, 0.02) == Verdict::unknown);
    const double sixth[] = {1, 1, 1, 1, 1, 1}, twice[] = {2, 2, 2, 2, 2, 2};
    CHECK(paired_ratio(sixth, twice).has_interval());
    CHECK(paired_ratio(sixth, twice).chance == 0);
    CHECK(paired_ratio(sixth, sixth).chance == 1);
    // Pairs without a time in one of the runs are left out.
    const double some[] = {0, 1, 1, 1, 1, 1};
    CHECK(paired_ratio(some, twice).pairs == 5);
    CHECK(std::isnan(paired_ratio({}, {}).ratio));
}

TEST_CASE("Student's t", "[ab]") {
    // Tables of quantiles: 2.5 % on each side.
    CHECK(student_chance(12.706, 1) == Approx(0.05).margin(1e-4));
    CHECK(student_chance(4.303, 2) == Approx(0.05).margin(1e-4));
    CHECK(student_chance(2.447, 6) == Approx(0.05).margin(1e-4));
    CHECK(student_chance(-2.365, 7) == Approx(0.05).margin(1e-4));
    CHECK(student_chance(2.086, 20) == Approx(0.05).margin(1e-4));
    CHECK(student_chance(0, 5) == 1);
    CHECK(student_chance(1, 0) == 1);
}

TEST_CASE("few of many are chosen by chance", "[ab]") {
    // Benjamini and Hochberg, section 3.2: of these 15, the first four are chosen at 5 %.
    const double chances[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const std::vector<bool> chosen = small_chances(chances, 0.05);
    CHECK(std::count(chosen.begin(), chosen.end(), true) == 4);
    CHECK(chosen[3]);
    CHECK(small_chances({}, 0.05).empty());
}

TEST_CASE("intervals hold their confidence", "[ab]") {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same in each run
    std::normal_distribution<double> noise(0, 0.02);
    int wrong = 0, alarms = 0;
    constexpr int histories = 4000, pairs = 7;
    for (int i = 0; i < histories; i++) {
        double first[pairs], second[pairs];
        for (int k = 0; k < pairs; k++) {
            first[k] = std::exp(noise(random));
            second[k] = 1.1 * std::exp(noise(random));
        }
        const PairedRatio ratio = paired_ratio(first, second);
        wrong += ratio.low > 1.1 || ratio.high < 1.1;
        alarms += verdict_of(ratio, 0.02) != Verdict::slower;
    }
    CHECK(wrong < 0.055 * histories);
    CHECK(wrong > 0.035 * histories);  // 3/64, not narrower and not wider
    CHECK(alarms < 0.01 * histories);
}

namespace {

Trial trial(double wall, double processor, std::uint64_t calls, double waiting = 0) {
    Trial result;
    result.command = {wall + 1, processor + 1};
    result.program = {wall, processor};
    result.waiting_share = waiting;
    result.functions["work"] = {wall * 0.9, calls, true};
    result.functions["rest"] = {wall * 0.1, 5, true};
    return result;
}

}  // namespace

TEST_CASE("what the runs of two programs show", "[ab]") {
    Trials trials;
    for (int i = 0; i < 7; i++) {
        const double drift = 1 + 0.05 * i;  // both alike
        trials.first.push_back(trial(drift, drift, 10));
        trials.second.push_back(trial(1.1 * drift, drift, 12));
    }
    TrialComparison comparison = compare_trials(trials, 0.02);
    CHECK(comparison.verdict == Verdict::slower);
    CHECK(comparison.from_profiles);
    CHECK(comparison.wall.ratio.ratio == Approx(1.1));
    CHECK(verdict_of(comparison.processor.ratio, 0.02) == Verdict::same);
    REQUIRE(comparison.functions.size() == 2);
    CHECK(comparison.functions[0].name == "work");
    CHECK(comparison.functions[0].time_changed);
    CHECK(comparison.functions[0].calls_changed());
    CHECK_FALSE(comparison.functions[1].calls_changed());
    CHECK(comparison.same_calls == 1);

    // On a busy machine, processor time counts.
    for (Trial& run : trials.second)
        run.waiting_share = 0.3;
    for (Trial& run : trials.first)
        run.waiting_share = 0.3;
    comparison = compare_trials(trials, 0.02);
    CHECK(comparison.busy);
    CHECK(comparison.verdict == Verdict::same);

    // Numbers of calls that vary from run to run are not known to have changed.
    trials.second[3].functions["work"].calls = 13;
    CHECK_FALSE(compare_trials(trials, 0.02).functions[0].calls_changed());
    // Without profiles of all runs, the times are those of the commands.
    trials.first[2].program.reset();
    comparison = compare_trials(trials, 0.02);
    CHECK_FALSE(comparison.from_profiles);
    CHECK(comparison.wall.first > 2);
    // A function that has lost its hooks in a run is not compared.
    trials.first[0].without_hooks.insert("work");
    comparison = compare_trials(trials, 0.02);
    CHECK(comparison.functions.size() == 1);
    CHECK(comparison.without_hooks == std::vector<std::string>{"work"});
}

TEST_CASE("runs that were repeated need better evidence", "[ab]") {
    Trials half, other, opposite;
    for (int i = 0; i < 7; i++) {
        const double noise = 1 + 0.002 * i;
        half.first.push_back(trial(1, 1, 10));
        half.second.push_back(trial(1.06 * noise, 1, 10));
        other.first.push_back(trial(1, 1, 10));
        other.second.push_back(trial(1.05 * noise, 1, 10));
        opposite.first.push_back(trial(1, 1, 10));
        opposite.second.push_back(trial(0.999 * noise / 1.006, 1, 10));
    }
    const TrialComparison both = compare_repeated_trials(half, other, 0.02);
    CHECK(both.verdict == Verdict::slower);
    CHECK(both.confidence == 0.99);
    CHECK(both.wall.ratio.pairs == 14);
    // All in all the second program is slower, but not in the second half.
    CHECK(compare_repeated_trials(half, opposite, 0.02).verdict == Verdict::unknown);
}

TEST_CASE("a verdict needs evidence", "[ab]") {
    const auto ratio = [](double low, double middle, double high) {
        PairedRatio result;
        result.ratio = middle;
        result.low = low;
        result.high = high;
        return result;
    };
    CHECK(verdict_of(ratio(1.01, 1.03, 1.05), 0.02) == Verdict::slower);
    CHECK(verdict_of(ratio(0.95, 0.97, 0.99), 0.02) == Verdict::faster);
    CHECK(verdict_of(ratio(0.99, 1.00, 1.01), 0.02) == Verdict::same);
    CHECK(verdict_of(ratio(1.005, 1.01, 1.015), 0.02) == Verdict::same);
    CHECK(verdict_of(ratio(0.97, 1.01, 1.05), 0.02) == Verdict::unknown);
    CHECK(verdict_of(ratio(1.001, 1.01, 1.05), 0.02) == Verdict::unknown);
    CHECK(verdict_of(PairedRatio(), 0.02) == Verdict::unknown);
}
