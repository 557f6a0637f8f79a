// Memory by path: what a sampled allocation represents, the errors of estimates, blocks that are
// live, the peak, and findings.
#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "heap/live_blocks.hpp"
#include "profile/heap.hpp"
#include "record/heap_figures.hpp"
#include "record/heap_sampling.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;

namespace {

constexpr double mean_bytes = 512 << 10;
constexpr double mebibyte = 1 << 20;

struct Site {
    std::uint64_t size, calls;
    double bytes() const { return static_cast<double>(size) * static_cast<double>(calls); }
};

struct Estimates {
    Estimate bytes, calls;
};

// What a sample of the site's allocations gives.
template <class Random>
Estimates sample(const Site& site, Random& random) {
    Estimates sum;
    std::uint64_t left = bytes_to_next_sample(mean_bytes, random());
    for (std::uint64_t i = 0; i < site.calls; i++) {
        if (site.size < left) {
            left -= site.size;
            continue;
        }
        left = bytes_to_next_sample(mean_bytes, random());
        const SampledAllocation one = sampled_allocation(site.size, mean_bytes);
        sum.bytes.value += static_cast<double>(one.bytes);
        sum.bytes.variance += static_cast<double>(one.bytes_variance);
        sum.calls.value += one.calls;
        sum.calls.variance += one.calls_variance;
    }
    return sum;
}

bool holds(const Estimate& estimate, double truth) {
    const auto [low, high] = interval_95(estimate);
    return low <= truth && truth <= high;
}

void set(Profile& profile, std::uint32_t path, MetricId id, double value) {
    profile.metric_values.push_back({path, add_metric(profile, id), value});
}

void set_rank(Profile& profile, std::uint32_t rank, MetricId id, double value) {
    profile.rank_metrics.push_back({rank, add_metric(profile, id), value});
}

}  // namespace

TEST_CASE("a sampled allocation represents those that were not sampled") {
    const SampledAllocation small = sampled_allocation(32, mean_bytes);
    CHECK(small.calls == Approx(mean_bytes / 32).epsilon(1e-4));
    CHECK(static_cast<double>(small.bytes) == Approx(mean_bytes).epsilon(1e-4));
    CHECK(static_cast<double>(small.bytes_variance) ==
          Approx(mean_bytes * mean_bytes).epsilon(1e-3));
    const SampledAllocation large = sampled_allocation(100 << 20, mean_bytes);
    CHECK(large.calls == 1);
    CHECK(large.bytes == 100 << 20);
    CHECK(large.bytes_variance == 0);
    CHECK(counted_allocation(17).bytes == 17);
}

TEST_CASE("the intervals hold in 93 to 97 % of the cases, and estimates are right on average") {
    std::mt19937_64 random(7);
    std::vector<Site> sites;
    for (const std::uint64_t size : {160, 1000, 4000, 20'000, 100'000, 300'000, 600'000, 1'200'000})
        for (const double mebibytes : {40.0, 120.0})
            sites.push_back({size, static_cast<std::uint64_t>(mebibytes * mebibyte) / size});
    constexpr int runs = 200;
    int inside = 0, all = 0;
    double sum = 0, truth = 0;
    for (const Site& site : sites)
        for (int run = 0; run < runs; run++) {
            const Estimates estimates = sample(site, random);
            inside += holds(estimates.bytes, site.bytes()) +
                      holds(estimates.calls, static_cast<double>(site.calls));
            all += 2;
            sum += estimates.bytes.value;
            truth += site.bytes();
        }
    CHECK(sum == Approx(truth).epsilon(0.005));
    CHECK(inside > 0.93 * all);
    CHECK(inside < 0.97 * all);
}

TEST_CASE("what was counted is exact") {
    CHECK(interval_95({100, 0}).low == 100);
    CHECK(interval_95({100, 0}).high == 100);
    CHECK(error_percent({100, 0}) == 0);
    CHECK(error_percent({0, 0}) == 0);
}

TEST_CASE("live blocks are found by their address until they are taken") {
    REQUIRE(prepare_live_blocks(false));
    const WatchedPlaces places = places_of_live_blocks();
    const auto is_absent = [&](std::uintptr_t address) {
        return places.elements[address >> places.shift & places.mask] == 0;
    };
    HeapFigures figures = {};
    constexpr std::uintptr_t first = 0x7f0000001000, step = 16;
    constexpr std::uintptr_t count = 20'000;  // many in each place
    LiveBlock other;
    bool is_added;
    CHECK(is_absent(first));
    for (std::uintptr_t i = 0; i < count; i++)
        REQUIRE_FALSE(
            add_live_block({first + i * step, i, 0, 1, &figures, nullptr, 0}, other, is_added));
    CHECK_FALSE(is_absent(first));
    CHECK_FALSE(take_live_block(first + 8, other));
    REQUIRE(add_live_block({first, 77, 0, 1, &figures, nullptr, 0}, other, is_added));
    CHECK(is_added);
    CHECK(other.bytes == 0);
    REQUIRE(take_live_block(first, other));
    CHECK(other.bytes == 77);
    CHECK_FALSE(take_live_block(first, other));
    std::vector<std::thread> threads;
    constexpr std::uintptr_t parts = 4;
    std::uint64_t taken[parts] = {};
    for (std::uintptr_t part = 0; part < parts; part++)
        threads.emplace_back([&, part] {
            for (std::uintptr_t i = 1 + part; i < count; i += parts) {
                LiveBlock block;
                taken[part] += take_live_block(first + i * step, block) && block.bytes == i;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(taken[0] + taken[1] + taken[2] + taken[3] == count - 1);
    for (std::uintptr_t i = 0; i < count; i++)
        REQUIRE(is_absent(first + i * step));
}

TEST_CASE("what was live at the peak is noted before it changes") {
    HeapFigures figures = {};
    figures.live = 100;
    note_peak(figures, 1);  // the peak came with the 100
    figures.live = 50;
    note_peak(figures, 1);  // none since
    CHECK(figures.at_peak == 100);
    figures.live = 170;
    note_peak(figures, 2);
    CHECK(figures.at_peak == 170);
}

TEST_CASE("operator new allocates for its caller") {
    JobBuilder builder(1, 1);
    const std::uint32_t main = builder.path(0, "main", NodeKind::function, {1.0});
    const std::uint32_t work = builder.path(main, "work", NodeKind::function, {1.0});
    const std::uint32_t make =
        builder.path(work, "operator new(unsigned long)", NodeKind::function, {0.1});
    Profile& profile = builder.profile;
    const std::uint32_t metric = add_metric(profile, MetricId::heap_allocated);
    profile.metric_values = {{work, metric, 10}, {make, metric, 32}};
    CHECK(has_heap(profile));
    const std::vector<PathHeap> rows = path_heap(profile);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].path == work);
    CHECK(rows[0].allocated.value == 42);
}

TEST_CASE("findings about memory") {
    JobBuilder builder(2, 10);
    const std::uint32_t main = builder.path(0, "main", NodeKind::function, {1.0, 1.0});
    const std::uint32_t fields = builder.path(main, "fields", NodeKind::function, {8.0, 8.0});
    Profile& profile = builder.profile;
    SECTION("who has the memory at the peak") {
        set(profile, main, MetricId::heap_at_peak, 100 * mebibyte);
        set(profile, fields, MetricId::heap_at_peak, 400 * mebibyte);
        for (const std::uint32_t rank : {0, 1}) {
            set_rank(profile, rank, MetricId::heap_peak, (200 + rank * 100) * mebibyte);
            set_rank(profile, rank, MetricId::heap_peak_time, 3e9);
        }
        const std::vector<RunFinding> found = of_rule(profile, "memory-peak");
        REQUIRE(found.size() == 1);
        CHECK(found[0].sentence ==
              "80.0 % of the 500 MiB at the peaks of all ranks were allocated by "
              "fields, called by main.");
        CHECK_THAT(found[0].reason, Contains("The peak of rank 1 was 300 MiB, 3.00 s after"));
        CHECK(found[0].is_remark());
        profile.metric_values[1].value = 20 * mebibyte;  // now main has most, but not 64 MiB in all
        profile.metric_values[0].value = 40 * mebibyte;
        CHECK(of_rule(profile, "memory-peak").empty());
    }
    SECTION("a rank that needs more than the others") {
        const auto found_with = [&](double largest, double sample_bytes) {
            profile.rank_metrics.clear();
            profile.metrics.clear();
            for (const std::uint32_t rank : {0, 1}) {
                set_rank(profile, rank, MetricId::heap_peak,
                         rank == 1 ? largest * mebibyte : 100 * mebibyte);
                set_rank(profile, rank, MetricId::heap_sample_bytes, sample_bytes);
            }
            return of_rule(profile, "memory-imbalance");
        };
        REQUIRE(found_with(500, 1).size() == 1);
        CHECK(found_with(500, 1)[0].rank == 1);
        CHECK_THAT(found_with(500, 1)[0].sentence, Contains("1.7 times the mean"));
        CHECK(found_with(140, 1).empty());
        CHECK(found_with(320, 1).size() == 1);
        CHECK(found_with(320, 16 * mebibyte).empty());  // too inexact
    }
    SECTION("blocks that accumulate") {
        set(profile, fields, MetricId::heap_live, 100 * mebibyte);
        set(profile, fields, MetricId::heap_calls, 5000);
        set_rank(profile, 0, MetricId::heap_peak, 120 * mebibyte);
        const std::uint32_t live = add_metric(profile, MetricId::heap_live_at);
        Series series;
        series.metric = live;
        series.points = {{1 * second, 10 * mebibyte},
                         {5 * second, 50 * mebibyte},
                         {10 * second, 100 * mebibyte}};
        profile.series = {series};
        REQUIRE(of_rule(profile, "leak").size() == 1);
        CHECK_THAT(of_rule(profile, "leak")[0].sentence,
                   Contains("100 MiB that were not freed were allocated in about 5,000 calls by "
                            "fields"));
        profile.series[0].points[1].value = 95 * mebibyte;  // it has them from the beginning
        CHECK(of_rule(profile, "leak").empty());
        profile.series[0].points[1].value = 50 * mebibyte;  // another path grows
        series.metric = add_metric(profile, MetricId::heap_path_live_at);
        series.path = fields;
        series.points = {{1 * second, 100 * mebibyte}, {10 * second, 100 * mebibyte}};
        profile.series.push_back(series);
        CHECK(of_rule(profile, "leak").empty());
        profile.series[1].points[0].value = 40 * mebibyte;
        CHECK_THAT(of_rule(profile, "leak").at(0).reason, Contains("This memory grew by 60 MiB"));
    }
    SECTION("blocks that are freed at once") {
        set(profile, fields, MetricId::heap_allocated, 5e8 * 16);
        set(profile, fields, MetricId::heap_calls, 5e8);
        set(profile, fields, MetricId::heap_temporary, 4e8);
        const std::vector<RunFinding> found = of_rule(profile, "churn");
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0].sentence,
                   Contains("About 400,000,000 blocks of 16 B are freed before"));
        CHECK(found[0].saved_seconds == Approx(2));
        profile.metric_values[2].value = 4e6;
        CHECK(of_rule(profile, "churn").empty());
    }
}
