// Sums of samples by region: the worked example of GEOPM's manual, and what can go wrong.
#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

#include "regions/region_sums.hpp"

using namespace vftrace;

namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();

// "A-BB": four threads, of which two are on each package.
std::vector<RegionSlot> slots(const std::string& regions, RegionHint hint = RegionHint::compute) {
    std::vector<RegionSlot> made;
    for (std::size_t i = 0; i < regions.size(); i++) {
        const bool is_marked = regions[i] != '-';
        made.push_back({is_marked ? static_cast<std::uint64_t>(regions[i]) : 0,
                        is_marked ? hint : RegionHint::unset, static_cast<std::uint32_t>(i / 2)});
    }
    return made;
}

double sum_in(const RegionSums& sums, char region, std::size_t signal) {
    const RegionSums::Figures* found =
        sums.of_region(region == '-' ? 0 : static_cast<std::uint64_t>(region));
    return found ? found->signals[signal].sum : 0;
}

}  // namespace

TEST_CASE("the worked example has the expected times") {
    // TIME of the board, and of both packages.
    const std::vector<RegionSignal> signals = {{},
                                               {.domain = {RegionSignal::Domain::package, 0}},
                                               {.domain = {RegionSignal::Domain::package, 1}}};
    const auto at = [](double now) { return std::vector<double>{now, now, now}; };
    RegionSums sums(signals, 0, at(0));
    // The regions of the threads at the samples; in between, threads enter and leave regions.
    double now = 0;
    for (const char* regions : {"A--A", "AAAA", "BAAA", "BBBB", "BBBB", "----"}) {
        now += 0.002;
        sums.sample(now, slots(regions), at(now));
    }
    const auto is = [](double seconds) { return Approx(seconds).margin(1e-12); };
    CHECK(sums.of_region('A')->time == is(0.002));
    CHECK(sums.of_region('B')->time == is(0.004));
    CHECK(sums.of_region(0)->time == is(0.006));
    CHECK(sum_in(sums, 'A', 0) == is(0.002));
    CHECK(sum_in(sums, 'A', 1) == is(0.002));
    CHECK(sum_in(sums, 'A', 2) == is(0.004));
    CHECK(sum_in(sums, 'B', 1) == is(0.004));
    CHECK(sum_in(sums, 'B', 2) == is(0.004));
    CHECK(sum_in(sums, '-', 1) == is(0.006));
    CHECK(sum_in(sums, '-', 2) == is(0.004));
    CHECK(sums.of_application().time == is(0.012));
}

TEST_CASE("counters and states are added to the region of the next sample") {
    const std::vector<RegionSignal> signals = {{}, {.is_sum = false}};
    RegionSums sums(signals, 10, std::vector<double>{100, 50});
    sums.sample(11, slots("AA"), std::vector<double>{103, 60});
    sums.sample(13, slots("AA"), std::vector<double>{110, 90});
    sums.sample(14, slots("A-"), std::vector<double>{111, 0});
    CHECK(sum_in(sums, 'A', 0) == 10);
    CHECK(sum_in(sums, '-', 0) == 1);
    CHECK(sums.of_region('A')->value(signals[0], 0) == 10);
    CHECK(sums.of_region('A')->value(signals[1], 1) == 80);  // 60 for 1 s, 90 for 2 s
    CHECK(sums.of_application().value(signals[0], 0) == 11);
}

TEST_CASE("nothing is lost if a counter cannot be read for a while or restarts") {
    const std::vector<RegionSignal> signals = {{}, {.is_sum = false}};
    RegionSums sums(signals, 0, std::vector<double>{never, never});
    sums.sample(1, slots("A"), std::vector<double>{70, 20});  // start unknown
    CHECK(sum_in(sums, 'A', 0) == 0);
    CHECK(sums.of_region('A')->value(signals[1], 1) == 0);
    sums.sample(2, slots("A"), std::vector<double>{75, 20});
    sums.sample(3, slots("A"), std::vector<double>{never, never});
    sums.sample(4, slots("B"), std::vector<double>{79, 30});
    CHECK(sum_in(sums, 'A', 0) == 5);
    CHECK(sum_in(sums, 'B', 0) == 4);
    CHECK(sums.of_region('B')->signals[1].time == 2);
    sums.sample(5, slots("B"), std::vector<double>{3, 30});
    CHECK(sum_in(sums, 'B', 0) == 7);
}

TEST_CASE("hints are means over threads") {
    RegionSums sums({}, 0, {});
    std::vector<RegionSlot> both = slots("AA");
    both[1].hint = RegionHint::network;
    sums.sample(4, both, {});
    const auto& hints = sums.of_region('A')->hint_time;
    CHECK(hints[static_cast<std::size_t>(RegionHint::compute)] == 2);
    CHECK(hints[static_cast<std::size_t>(RegionHint::network)] == 2);
    CHECK(hints[static_cast<std::size_t>(RegionHint::unset)] == 0);
}

TEST_CASE("time without counted threads is unmarked") {
    RegionSums sums({{.domain = {RegionSignal::Domain::package, 1}}}, 0, std::vector<double>{0});
    sums.sample(1, {}, std::vector<double>{5});
    sums.sample(2, slots("AA"), std::vector<double>{7});  // both are on package 0
    CHECK(sums.of_region(0)->time == 1);
    CHECK(sum_in(sums, '-', 0) == 7);
    CHECK(sum_in(sums, 'A', 0) == 0);
    CHECK(sums.of_region('A')->time == 1);
}

TEST_CASE("epochs count from the first one") {
    RegionSums sums({{}}, 0, std::vector<double>{0});
    sums.sample(1, slots("A"), std::vector<double>{1}, 0);
    CHECK(sums.of_epochs().time == 0);
    sums.sample(2, slots("A"), std::vector<double>{3}, 1);
    sums.sample(4, slots("B"), std::vector<double>{7}, 9);
    CHECK(sums.of_epochs().time == 3);
    CHECK(sums.of_epochs().signals[0].sum == 6);
    CHECK(sums.of_application().signals[0].sum == 7);
}
