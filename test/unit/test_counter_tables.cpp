// Tables of hardware counters, their JSON, and their sums over ranks.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "collate/profile_merger.hpp"
#include "config/formula.hpp"
#include "log_text.hpp"
#include "profile/counter_metrics.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// The sample profile, in which two paths have read two counters.
Profile counted_profile(double cycles_of_first = 4000.0) {
    Profile profile = sample_profile();
    profile.metrics.clear();
    profile.metric_values.clear();
    RunInfo& run = profile.run;
    run.counter_source = "perf";
    run.counters = {{"cycles", "cyc"}, {"instructions", "ins"}};
    run.observables = {{"ipc", "ins / cyc", ""}, {"rate", "ins / T", "1/s"}};
    for (const CounterName& counter : run.counters) {
        profile.metrics.push_back({exclusive_metric(counter), "", Reduction::sum});
        profile.metrics.push_back({inclusive_metric(counter), "", Reduction::sum});
    }
    profile.metrics.push_back({counted_time, "ns", Reduction::sum});
    find_metrics_of_counters(profile);
    const auto add = [&](std::uint32_t path, double cycles, double instructions, double ns) {
        const double values[] = {cycles, cycles, instructions, instructions, ns};
        for (std::uint32_t metric = 0; metric < 5; metric++)
            profile.metric_values.push_back({path, metric, values[metric]});
    };
    add(1, cycles_of_first, 2000.0, 1e9);
    add(2, 1000.0, 4000.0, 5e8);
    return profile;
}

ReportOptions all_tables() {
    ReportOptions options;
    options.show_counters = options.show_counter_summary = true;
    return options;
}

}  // namespace

TEST_CASE("counter tables: observables are computed from sums, best first") {
    if (!formulas_are_available())
        return;
    const std::string log = log_of(counted_profile(), all_tables());
    const std::string table = table_in(log, "HWProf - Observables (Perf)");
    CHECK_THAT(table, Catch::Contains("| #Calls | ") && Catch::Contains("|   ipc    | rate [1/s]"));
    CHECK(table.find("4.000000") < table.find("0.500000"));
    CHECK_THAT(table, Catch::Contains("8000.000000"));
    CHECK_THAT(table, Catch::Contains("2 of "));
    // (2000 + 4000) / (4000 + 1000), not 4 + 0.5
    CHECK_THAT(table_in(log, "HWProf observables summary:"), Catch::Contains("1.200000"));
    CHECK_THAT(table_in(log, "HWProf counters summary:"), Catch::Contains("5000"));
}

TEST_CASE("counter tables: titles of a rank's log") {
    const std::string log = log_of(counted_profile(), all_tables(), LogScope::rank);
    CHECK(contains(log, "\nHWProf profile - Observables (Perf)\n"));
    CHECK(contains(log, "\nHWProf profile - Hardware Counters (Perf)\n"));
    CHECK(contains(log, "\nTotal HWprof counters:\n"));
}

TEST_CASE("counter tables: no more than is asked for") {
    ReportOptions options;
    CHECK(contains(log_of(counted_profile(), options), "HWProf - Observables"));
    CHECK_FALSE(contains(log_of(counted_profile(), options), "HWProf - Hardware Counters"));
    options.show_observables = false;
    CHECK_FALSE(contains(log_of(counted_profile(), options), "HWProf"));
    CHECK_FALSE(contains(log_of(sample_profile(), all_tables()), "HWProf"));
}

TEST_CASE("counter tables: values that are not numbers, and odd names") {
    Profile profile = counted_profile(0.0);
    profile.run.observables[0].name = "a\nb";
    const std::string log = log_of(profile, all_tables());
    CHECK(contains(log, "a\\nb"));
    CHECK_FALSE(contains(log, "inf"));
    profile.metric_values.clear();
    CHECK(contains(log_of(profile, all_tables()), "HWProf counters summary:"));
}

TEST_CASE("counter tables: the JSON keeps everything") {
    char path[] = "/tmp/vftrace_counters_XXXXXX";
    ::close(mkstemp(path));
    const Profile profile = counted_profile();
    REQUIRE(write_profile_json(profile, path) == 0);
    const Profile read = read_profile_json(path);
    unlink(path);
    CHECK(read.run.counter_source == "perf");
    REQUIRE(read.run.counters.size() == 2);
    CHECK(read.run.counters[1].name == "instructions");
    CHECK(read.run.counters[1].symbol == "ins");
    REQUIRE(read.run.observables.size() == 2);
    CHECK(read.run.observables[1].unit == "1/s");
    CHECK(log_of(read, all_tables()) == log_of(profile, all_tables()));
}

TEST_CASE("counter tables: ranks add up before anything is computed") {
    if (!formulas_are_available())
        return;
    ProfileMerger merger;
    std::vector<std::uint32_t> path_of;
    for (std::uint32_t rank = 0; rank < 2; rank++) {
        const Profile profile = counted_profile(rank == 0 ? 4000.0 : 0.0);
        REQUIRE(merger.add(encode_profile(profile, details_of(profile), rank, false), path_of).ok);
    }
    Profile job = merger.finish(counted_profile().run, 2);
    for (std::uint32_t i = 0; i < job.paths.size(); i++)
        job.paths[i].stid = i;
    // 4000 instructions in 4000 cycles on both ranks together, for which 2.0 printed 0.5 +
    // infinity.
    CHECK_THAT(table_in(log_of(job), "HWProf - Observables (Perf)"), Catch::Contains("1.000000"));
}
