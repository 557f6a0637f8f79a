// Bins of durations, and the names of metrics that have one value per bin.
#include <catch2/catch.hpp>

#include "record/duration_bins.hpp"
#include "record/metrics.hpp"

using namespace vftrace;

TEST_CASE("durations are in bins that double") {
    CHECK(duration_bin(0) == 1);
    CHECK(duration_bin(1023) == 1);
    CHECK(duration_bin(1024) == 2);
    CHECK(duration_bin(2047) == 2);
    CHECK(duration_bin(2048) == 3);
    CHECK(duration_bin(~std::uint64_t{0}) == duration_bins);
}

TEST_CASE("percentiles are limits that durations do not exceed") {
    DurationCounts counts;
    CHECK(counts.percentile(0.5, 0) == 0);
    const std::uint64_t durations[] = {500, 1500, 1600, 5000, 70'000'000'000};
    for (const std::uint64_t ns : durations)
        counts.in_bin[duration_bin(ns) - 1]++;
    CHECK(counts.all() == 5);
    CHECK(counts.percentile(0.2, 7e10) == 1024);
    CHECK(counts.percentile(0.5, 7e10) == 2048);
    CHECK(counts.percentile(0.7, 7e10) == 8192);
    CHECK(counts.percentile(0.99, 7e10) == 7e10);
    CHECK(counts.percentile(0.7, 5000) == 5000);
}

TEST_CASE("metrics of several subjects have numbers in their names") {
    CHECK(is_named("task.created", MetricId::task_created, 0));
    CHECK(!is_named("task.created.1", MetricId::task_created, 0));
    CHECK(is_named("task.runs.7", MetricId::task_runs, 7));
    CHECK(is_named("task.runs.27", MetricId::task_runs, 27));
    CHECK(!is_named("task.runs.27", MetricId::task_runs, 7));
    CHECK(!is_named("task.runs.7", MetricId::task_runs, 27));
    CHECK(!is_named("task.runs", MetricId::task_runs, 7));
    CHECK(!is_named("task.ready.7", MetricId::task_runs, 7));
}
