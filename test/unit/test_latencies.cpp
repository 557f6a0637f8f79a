// Durations of calls by bins, their percentiles, and the finding about few long calls.
#include <catch2/catch.hpp>

#include <algorithm>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "findings/findings.hpp"
#include "profile/latencies.hpp"
#include "profile/metric_rows.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;

namespace {

PathLatencies latencies(std::uint64_t calls, std::vector<LatencyCount> bins, std::int64_t longest) {
    PathLatencies row;
    row.calls = calls;
    row.bins = std::move(bins);
    row.longest = {longest, 0, 0};
    return row;
}

}  // namespace

TEST_CASE("each duration is in the bin that begins before it and ends after it") {
    for (unsigned power = 2; power < 63; power++)
        for (const std::uint64_t more : {0, 1, 2, 3}) {
            const std::uint64_t start = (std::uint64_t{4} + more) << (power - 2);
            const std::uint32_t bin = latency_bin(start);
            CHECK(bin == bins_of_power * power + more);
            CHECK(start_of_bin(bin) == start);
            CHECK(latency_bin(start_of_bin(bin + 1) - 1) == bin);
            CHECK(static_cast<double>(start_of_bin(bin + 1)) <= 1.25 * static_cast<double>(start));
        }
}

TEST_CASE("a percentile is the end of a bin, at most the longest call") {
    const std::uint32_t two_us = latency_bin(2048), ms = latency_bin(1 << 20);
    const PathLatencies row = latencies(1000, {{two_us, 495}, {ms, 5}}, 1'100'000);
    CHECK(percentile_ns(row, 0.5) == 0);  // 500 calls are shorter than all bins
    CHECK(percentile_ns(row, 0.501) == 2560);
    CHECK(percentile_ns(row, 0.99) == 2560);
    CHECK(percentile_ns(row, 0.995) == 2560);
    CHECK(percentile_ns(row, 0.9951) == 1'100'000);
    CHECK(percentile_ns(row, 1) == 1'100'000);
    std::uint64_t calls = 0;
    CHECK(ns_of_longest(row, 0.005, calls) == Approx(5 * 1'100'000.0));
    CHECK(calls == 5);
    CHECK(ns_of_longest(row, 0.007, calls) == Approx(5 * 1'100'000.0 + 2 * 2304.0));
    CHECK(ns_of_longest(row, 0.0005, calls) == 0);
    CHECK(calls == 0);
    // A profile whose numbers do not fit together.
    CHECK(percentile_ns(latencies(1, {{two_us, 100}}, 2100), 0.99) == 2100);
    CHECK(percentile_ns(latencies(0, {}, 0), 0.99) == 0);
}

TEST_CASE("calls of two ranks are added up, and the longest of both stays") {
    PathLatencies sum = latencies(10, {{50, 3}, {60, 2}}, 100),
                  other = latencies(5, {{55, 1}, {60, 4}}, 300);
    other.longest = {300, 77, 3};
    add_row(sum, other, {});
    CHECK(sum.calls == 15);
    REQUIRE(sum.bins.size() == 3);
    CHECK(sum.bins[1].bin == 55);
    CHECK(sum.bins[2].calls == 6);
    CHECK(sum.longest.ns == 300);
    CHECK(sum.longest.end_ns == 77);
    CHECK(sum.longest.rank == 3);
    // Whatever the order.
    PathLatencies same = other;
    same.longest.rank = 1;
    add_row(same, other, {});
    CHECK(same.longest.rank == 1);
    same.longest.rank = 5;
    add_row(same, other, {});
    CHECK(same.longest.rank == 3);
}

TEST_CASE("few calls with most of the time are a finding, unless the function calls the cause") {
    JobBuilder builder{1, 10};
    Profile& profile = builder.profile;
    const std::uint32_t main = builder.path(0, "main", NodeKind::function, {1.0});
    const std::uint32_t caller = builder.path(main, "step", NodeKind::function, {0.5});
    const std::uint32_t slow = builder.path(caller, "lookup", NodeKind::function, {8.5});
    for (Function& function : profile.functions)
        function.display = function.name;
    profile.paths[slow].inclusive_ns = profile.paths[slow].exclusive_ns;
    profile.paths[caller].inclusive_ns = 9'000'000'000;
    const std::uint32_t ms = latency_bin(1 << 20), second = latency_bin(1 << 30);
    for (const std::uint32_t path : {caller, slow}) {
        PathLatencies row = latencies(1000, {{ms, 993}, {second, 7}}, 1'100'000'000);
        row.path = path;
        row.longest.end_ns = 3'000'000'000;
        profile.latencies.push_back(row);
    }
    const auto sentences = [&] {
        std::vector<std::string> found;
        for (const RunFinding& finding : of_rule(profile, "slow-calls"))
            found.push_back(finding.sentence + " " + finding.reason);
        return found;
    };
    REQUIRE(sentences().size() == 1);
    CHECK_THAT(sentences()[0],
               Contains("10 of 1,000 calls of lookup, called by step < main take 9"));
    CHECK_THAT(sentences()[0], Contains("no more than 1.3 ms"));
    CHECK_THAT(sentences()[0], Contains("took 1.10 s and ended 3.00 s after the start."));
    SECTION("calls of similar length are not") {
        profile.latencies[1].bins = {{ms, 500}, {ms + 2, 500}};
        profile.latencies[1].longest.ns = 2'000'000;
        CHECK(sentences().empty());
    }
    SECTION("nor are few calls") {
        profile.latencies[1].calls = 100;
        profile.latencies[1].bins = {{ms, 93}, {second, 7}};
        CHECK(sentences().empty());
    }
}
