// Figures of hosts and devices, and computed figures, through messages, merging and JSON.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "collate/formula_metrics.hpp"
#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "config/formula.hpp"
#include "host_signals/powercap.hpp"
#include "profile/metric_rows.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

Metric device_metric(const char* name, Reduction reduction, const char* formula = "") {
    return {.name = name,
            .unit = "",
            .reduction = reduction,
            .scope = MetricScope::device,
            .part = MetricPart::point,
            .title = "",
            .formula = formula};
}

// A rank on host a or b that has read the energy and the lowest temperature of a device.
Profile profile_of_rank(std::uint32_t rank, const char* host, double joules, double least) {
    RankProfile made(rank);
    made.add_path(0, made.add_function("main"), 1);
    Profile& profile = made.profile;
    profile.run.host = host;
    profile.run.ranks = 3;
    profile.metrics = {device_metric("energy.joules", Reduction::sum),
                       device_metric("energy.least", Reduction::min),
                       device_metric("energy.ratio", Reduction::mean, "joules / least")};
    profile.host_metrics = {{host, "gpu 0", 0, joules}, {host, "gpu 0", 1, least}};
    compute_formula_metrics(profile);
    return profile;
}

// "host device metric" and the value.
std::map<std::string, double> values_of(const Profile& profile) {
    std::map<std::string, double> values;
    for (const HostMetric& value : profile.host_metrics)
        values[value.host + ' ' + value.device + ' ' + profile.metrics[value.metric].name] =
            value.value;
    return values;
}

}  // namespace

TEST_CASE("ranks of a host read the same values, and formulas are computed after all sums") {
    if (!formulas_are_available())
        return;
    const std::vector<Profile> ranks = {profile_of_rank(0, "a", 10, 4),
                                        profile_of_rank(1, "a", 12, 3),
                                        profile_of_rank(2, "b", 7, 7)};
    CHECK(values_of(ranks[0])["a gpu 0 energy.ratio"] == 2.5);
    const Profile job = merge_ranks({ranks[2], ranks[0], ranks[1]}, {"2", "0", "1"});
    const std::map<std::string, double> expected = {
        {"a gpu 0 energy.joules", 12}, {"a gpu 0 energy.least", 3}, {"a gpu 0 energy.ratio", 4},
        {"b gpu 0 energy.joules", 7},  {"b gpu 0 energy.least", 7}, {"b gpu 0 energy.ratio", 1}};
    CHECK(values_of(job) == expected);

    std::string text;
    OutputFile out(text);
    write_profile_json(job, out);
    out.close();
    const Profile read = parse_profile_json(text);
    CHECK(values_of(read) == expected);
    CHECK(read.metrics.back().formula == "joules / least");

    // Runs used the device one after the other.
    const Profile sum = merge_runs({job, read}, {"a", "b"}, RunReduction::sum);
    CHECK(values_of(sum)["a gpu 0 energy.joules"] == 24);
    CHECK(values_of(sum)["a gpu 0 energy.ratio"] == 8);
    const Profile mean = merge_runs({job, read}, {"a", "b"}, RunReduction::mean);
    CHECK(values_of(mean) == expected);
}

TEST_CASE("formulas are computed if all of their inputs exist") {
    if (!formulas_are_available())
        return;
    RankProfile made(0);
    const std::uint32_t path = made.add_path(0, made.add_function("main"), 1);
    Profile& profile = made.profile;
    const auto add = [&](const char* name, MetricScope scope, const char* formula) {
        profile.metrics.push_back({.name = name,
                                   .unit = "",
                                   .reduction = Reduction::sum,
                                   .scope = scope,
                                   .part = MetricPart::exclusive,
                                   .title = "",
                                   .formula = formula});
    };
    add("toy.a", MetricScope::path, "");
    add("toy.b", MetricScope::path, "");
    add("other.b", MetricScope::path, "");
    add("toy.quotient", MetricScope::path, "a / b");
    add("toy.wrong", MetricScope::path, "a /");
    add("toy.unknown", MetricScope::path, "a / c");
    add("toy.t", MetricScope::thread, "");
    add("toy.twice", MetricScope::thread, "2 * t");
    add("toy.r", MetricScope::rank, "");
    add("toy.half", MetricScope::rank, "r / 2");
    profile.metric_values = {{0, 0, 1}, {0, 2, 5}, {path, 0, 6}, {path, 1, 3}};
    profile.threads.resize(2);
    profile.threads[1].metrics = {{6, 5}};
    profile.rank_metrics = {{0, 8, 3}, {1, 8, 4}};
    for (int times = 0; times < 2; times++) {  // once more changes nothing
        compute_formula_metrics(profile);
        REQUIRE(profile.metric_values.size() == 5);
        CHECK(profile.metric_values.back().path == path);
        CHECK(profile.metric_values.back().metric == 3);
        CHECK(profile.metric_values.back().value == 2);
        CHECK(profile.threads[0].metrics.empty());
        REQUIRE(profile.threads[1].metrics.size() == 2);
        CHECK(profile.threads[1].metrics[1].value == 10);
        REQUIRE(profile.rank_metrics.size() == 4);
        CHECK(profile.rank_metrics[3].value == 2);
    }
    profile.metric_values[3].value = 0;  // division by zero
    compute_formula_metrics(profile);
    CHECK(profile.metric_values.size() == 4);
}

TEST_CASE("energy counters wrap around and may restart") {
    constexpr std::uint64_t range = 262143328850;
    CHECK(energy_between(5, 12, range) == 7);
    CHECK(energy_between(262143000000, 5000000, range) == 5328850);  // as a real counter did
    CHECK(energy_between(range / 2 + 10, 7, range) == range / 2 - 3);
    CHECK(energy_between(range / 2, 7, range) == 7);
    CHECK(energy_between(range / 4, 7, range) == 7);
    CHECK(energy_between(100, 7, 0) == 7);
    CHECK(energy_between(100, 7, 50) == 7);  // the counter was above its range
}
