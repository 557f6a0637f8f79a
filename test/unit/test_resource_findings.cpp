// Findings from figures of the operating system: each rule finds its fault, and nothing if there is
// no fault.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "findings/findings.hpp"
#include "record/metrics.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using Values = std::vector<std::pair<MetricId, double>>;
constexpr double s = 1e9;  // nanoseconds

void set(Profile& profile, MetricId metric, double value) {
    const MetricRow& row = row_of(metric);
    Metric described;
    described.name = row.name;
    described.unit = row.unit;
    described.scope = row.scope;
    profile.metrics.push_back(described);
    const auto index = static_cast<std::uint32_t>(profile.metrics.size() - 1);
    if (row.scope == MetricScope::host) {
        profile.host_metrics.push_back({"n0", "", index, value});
        return;
    }
    const std::size_t ranks = std::max<std::size_t>(profile.ranks.size(), 1);
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        profile.rank_metrics.push_back({rank, index, value});
}

// One process that computes for 10 s on a host with four processors, except for `changes`; if there
// are several ranks, each has these values.
Profile job(const Values& changes, std::uint32_t ranks = 1) {
    JobBuilder builder(ranks, 10);
    const auto main = builder.path(0, "main", NodeKind::function, std::vector<double>(ranks, 1));
    builder.path(main, "compute", NodeKind::function, std::vector<double>(ranks, 8));
    builder.path(main, "write", NodeKind::function, std::vector<double>(ranks, 1));
    Values values = {{MetricId::process_user, 9.7 * s},
                     {MetricId::process_system, 0.1 * s},
                     {MetricId::process_minor_faults, 5000},
                     {MetricId::process_major_faults, 3},
                     {MetricId::process_voluntary_switches, 50},
                     {MetricId::process_involuntary_switches, 200},
                     {MetricId::io_rchar, 1e6},
                     {MetricId::io_wchar, 1e6},
                     {MetricId::io_syscr, 100},
                     {MetricId::io_syscw, 100},
                     {MetricId::io_read_bytes, 0},
                     {MetricId::io_write_bytes, 1e6},
                     {MetricId::processors_waiting, 0.1 * s},
                     {MetricId::processors_migrations, 10},
                     {MetricId::processors_allowed, 4},
                     {MetricId::processors_count, 4},
                     {MetricId::processors_time, 40 * s},
                     {MetricId::processors_idle, 30 * s},
                     {MetricId::processors_stolen, 0}};
    for (const auto& [metric, value] : changes)
        for (auto& [known, of_known] : values)
            if (known == metric)
                of_known = value;
    for (const auto& [metric, value] : values)
        set(builder.profile, metric, value);
    return builder.profile;
}

Grade grade(const Profile& profile, std::string_view id) {
    for (const QualityFigure& figure : quality(profile))
        if (figure.id == id)
            return figure.grade;
    FAIL("there is no such figure");
    return Grade::poor;
}

}  // namespace

TEST_CASE("a process that only computes has no system findings") {
    CHECK(faults(job({})) == 0);
    for (const char* id : {"waiting", "migrations", "stolen"})
        CHECK(grade(job({}), id) == Grade::good);
}

TEST_CASE("many calls of few bytes are found, with their numbers and the function") {
    const Profile small = job({{MetricId::process_user, 4 * s},
                               {MetricId::process_system, 5 * s},
                               {MetricId::io_syscr, 2e6},
                               {MetricId::io_rchar, 2e6},
                               {MetricId::io_syscw, 1e6},
                               {MetricId::io_wchar, 3.5e6}});
    const std::vector<RunFinding> found = of_rule(small, "small-io");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(5));
    CHECK(
        found[0].sentence ==
        "Input and output in small pieces takes up to 5.00 s: 2,000,000 read calls of 1 byte on "
        "average and 1,000,000 write calls of 3.5 bytes on average, most of it in write, called by "
        "main.");
    CHECK(found[0].confidence == Confidence::certain);
    CHECK(of_rule(small, "kernel-time").empty());  // the system calls explain the kernel's time
    // Large calls, and few small ones.
    CHECK(of_rule(job({{MetricId::process_system, 5 * s},
                       {MetricId::io_syscr, 2e6},
                       {MetricId::io_rchar, 2e6 * 65536}}),
                  "small-io")
              .empty());
    CHECK(
        of_rule(job({{MetricId::io_syscr, 9000}, {MetricId::io_rchar, 9000}}), "small-io").empty());
}

TEST_CASE("time in the kernel is found if it is much of the processor time") {
    const Values much = {{MetricId::process_user, 2 * s},
                         {MetricId::process_system, 6 * s},
                         {MetricId::io_syscr, 20'000},
                         {MetricId::io_rchar, 20e9}};
    const std::vector<RunFinding> found = of_rule(job(much), "kernel-time");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(6));
    CHECK(found[0].sentence == "The kernel takes 6.00 s, 75.0 % of the processor time.");
    CHECK(found[0].reason ==
          "There are 20,100 read and write calls, 5,003 page faults, 250 context switches.");
    // Of several ranks, the finding gives the figures of one.
    const std::vector<RunFinding> of_ranks = of_rule(job(much, 4), "kernel-time");
    REQUIRE(of_ranks.size() == 1);
    CHECK(of_ranks[0].saved_seconds == Approx(6));
    CHECK(of_rule(job({{MetricId::process_user, 6 * s}, {MetricId::process_system, 3 * s}}),
                  "kernel-time")
              .empty());
}

TEST_CASE("reading from and writing to storage is found if the program waits for it") {
    const Values waits = {{MetricId::process_user, 2 * s},
                          {MetricId::process_system, 0.5 * s},
                          {MetricId::process_voluntary_switches, 4000},
                          {MetricId::io_write_bytes, 16e6}};
    const std::vector<RunFinding> found = of_rule(job(waits), "input-output");
    REQUIRE(found.size() == 1);
    // Blocked for 7.4 s, and 16 MB at 1 GB/s.
    CHECK(found[0].saved_seconds == Approx(7.416));
    CHECK(found[0].sentence == "Reading 0 B from storage and writing 15.3 MiB to it takes up to "
                               "7.42 s, 74.2 % of the time, most of it in write, called by main.");
    CHECK(found[0].confidence == Confidence::likely);
    // Sleeping, with a little writing: a disk would need little time for it.
    CHECK(of_rule(job({{MetricId::process_user, 2 * s},
                       {MetricId::process_voluntary_switches, 1000},
                       {MetricId::io_write_bytes, 300'000}}),
                  "input-output")
              .empty());
    // Waiting for other processes, or for files that are in memory.
    CHECK(of_rule(job({{MetricId::process_user, 2 * s}, {MetricId::io_write_bytes, 0}}),
                  "input-output")
              .empty());
}

TEST_CASE("page faults are found: those served from storage, and those for new memory") {
    const std::vector<RunFinding> major =
        of_rule(job({{MetricId::process_user, 2 * s}, {MetricId::process_major_faults, 500}}),
                "page-faults");
    REQUIRE(major.size() == 1);
    CHECK(major[0].saved_seconds == Approx(5));
    CHECK(major[0].sentence == "Threads wait up to 5.00 s for storage in 500 page faults.");
    const std::vector<RunFinding> minor = of_rule(job({{MetricId::process_user, 6 * s},
                                                       {MetricId::process_system, 3 * s},
                                                       {MetricId::process_minor_faults, 2e6}}),
                                                  "page-faults");
    REQUIRE(minor.size() == 1);
    CHECK(minor[0].saved_seconds == Approx(2));
    CHECK(minor[0].sentence ==
          "2,000,000 page faults take about 2.00 s of the 3.00 s in the kernel.");
    // At the pace of a virtual machine, if no other event is as frequent.
    const std::vector<RunFinding> slow = of_rule(job({{MetricId::process_user, 3 * s},
                                                      {MetricId::process_system, 6 * s},
                                                      {MetricId::io_syscr, 1000},
                                                      {MetricId::io_syscw, 0},
                                                      {MetricId::process_minor_faults, 2e6}}),
                                                 "page-faults");
    REQUIRE(slow.size() == 1);
    CHECK(slow[0].confidence == Confidence::possible);
    CHECK(slow[0].sentence ==
          "2,000,000 page faults may take up to 6.00 s of the 6.00 s in the kernel.");
    // These faults do not explain the time in the kernel: too few, or not alone.
    for (const double read_calls : {1e3, 1e6})
        CHECK(of_rule(job({{MetricId::process_user, 3 * s},
                           {MetricId::process_system, read_calls < 1e6 ? 20 * s : 6 * s},
                           {MetricId::io_syscr, read_calls},
                           {MetricId::io_syscw, 0},
                           {MetricId::process_minor_faults, 2e6}}),
                      "page-faults")
                  .empty());
    // The process works all the time.
    CHECK(of_rule(job({{MetricId::process_major_faults, 500}}), "page-faults").empty());
}

TEST_CASE("more threads than processors are found, and processors that may not be used") {
    const Values too_many = {{MetricId::process_user, 39 * s},
                             {MetricId::processors_waiting, 40 * s},
                             {MetricId::process_involuntary_switches, 30'000},
                             {MetricId::processors_idle, 1 * s}};
    const std::vector<RunFinding> found = of_rule(job(too_many), "oversubscription");
    REQUIRE(found.size() == 1);
    CHECK(found[0].is_remark());  // the threads do not wait for each other
    CHECK(found[0].sentence ==
          "Runnable threads wait for a processor 50.6 % of the time: on average, 7.9 threads are "
          "runnable on 4 processors.");
    CHECK(found[0].reason == "There are more threads or ranks than processors: they were "
                             "interrupted 30,000 times. They do not wait for each other, so fewer "
                             "of them would hardly make the run shorter.");
    CHECK(found[0].confidence == Confidence::certain);
    const Values bound = {{MetricId::process_user, 9 * s},
                          {MetricId::processors_waiting, 30 * s},
                          {MetricId::processors_allowed, 1}};
    REQUIRE(of_rule(job(bound), "oversubscription").size() == 1);
    CHECK(of_rule(job(bound), "oversubscription")[0].reason ==
          "The host has 4 processors, some of them idle, but a process may use only 1 of them (its "
          "affinity).");
    // Four ranks on one processor of four; a rank's figures do not show that the others use it.
    const Values on_one = {{MetricId::process_user, 2.4 * s},
                           {MetricId::processors_waiting, 7.4 * s},
                           {MetricId::processors_allowed, 1}};
    const std::vector<RunFinding> ranks = of_rule(job(on_one, 4), "oversubscription");
    REQUIRE(ranks.size() == 1);
    CHECK(ranks[0].confidence == Confidence::likely);
    // Other programs have the processors.
    CHECK(of_rule(job({{MetricId::process_user, 5 * s},
                       {MetricId::processors_waiting, 5 * s},
                       {MetricId::processors_idle, 0}}),
                  "oversubscription")
              .empty());
}

// Ranks 0 and 1 of four wait as if rank 3 had more work. `waiting`: for processors, each.
Profile uneven(double waiting, double idle) {
    Profile profile = job({{MetricId::process_user, 9.7 * s - waiting},
                           {MetricId::processors_waiting, waiting},
                           {MetricId::processors_idle, idle}},
                          4);
    const std::vector<double> in_mpi = {4, 4, 4, 0.1};
    for (std::uint32_t rank = 0; rank < 4; rank++)
        profile.ranks[rank].mpi_ns = JobBuilder::ns(in_mpi[rank]);
    return profile;
}

TEST_CASE("what other programs may have caused is said with less certainty, or not at all") {
    const std::vector<RunFinding> quiet = of_rule(uneven(0.02 * s, 0), "load-imbalance");
    REQUIRE(quiet.size() == 1);
    CHECK(quiet[0].confidence != Confidence::possible);
    // A tenth of the time, of which others had the processors.
    const std::vector<RunFinding> busy = of_rule(uneven(1 * s, 0), "load-imbalance");
    REQUIRE(busy.size() == 1);
    CHECK(busy[0].confidence == Confidence::possible);
    CHECK_THAT(busy[0].reason, Contains("Other programs had the processors for"));
    // Four fifths.
    CHECK(of_rule(uneven(8 * s, 0), "load-imbalance").empty());
}

TEST_CASE("of waiting for processors, the job's own threads explain a part") {
    // Eight threads on four processors, and as many of other programs.
    const Values shared = {{MetricId::process_user, 20 * s},
                           {MetricId::processors_waiting, 60 * s},
                           {MetricId::processors_idle, 0}};
    const std::vector<RunFinding> found = of_rule(job(shared), "oversubscription");
    REQUIRE(found.size() == 1);
    CHECK(found[0].confidence == Confidence::likely);
    CHECK_THAT(found[0].reason,
               Contains("That explains 50.1 % of the time, other programs the rest"));
}

TEST_CASE("waiting, migrations and stolen time count for the quality of a measurement") {
    CHECK(grade(job({{MetricId::processors_waiting, 4 * s}}), "waiting") == Grade::fair);
    CHECK(grade(job({{MetricId::processors_waiting, 20 * s}}), "waiting") == Grade::poor);
    CHECK(grade(job({{MetricId::processors_migrations, 5000}}), "migrations") == Grade::fair);
    CHECK(grade(job({{MetricId::processors_stolen, 0.5 * s}}), "stolen") == Grade::fair);
    CHECK(grade(job({{MetricId::processors_stolen, 4 * s}}), "stolen") == Grade::poor);
    // Without readings there are no figures.
    for (const QualityFigure& figure : quality(JobBuilder(1, 10).profile)) {
        CHECK(figure.id != "waiting");
        CHECK(figure.id != "migrations");
        CHECK(figure.id != "stolen");
    }
}

TEST_CASE("of a path that sleeps, no finding says that counters show how it computes") {
    const std::vector<RunFinding> computes = of_rule(job({}), "hot-path");
    REQUIRE(computes.size() == 1);
    CHECK_THAT(computes[0].next_step, Contains("Hardware counters"));

    const std::vector<RunFinding> sleeps = of_rule(
        job({{MetricId::process_user, 0.01 * s}, {MetricId::process_system, 0}}), "hot-path");
    REQUIRE(sleeps.size() == 1);
    CHECK(sleeps[0].reason == "All threads together have worked for 10.0 ms, so for most of that "
                              "time it does not compute: it sleeps or waits.");
    CHECK_THAT(sleeps[0].next_step, StartsWith("Look for what it waits for"));

    // Runnable, but without a processor.
    CHECK_THAT(
        of_rule(job({{MetricId::process_user, 1 * s}, {MetricId::processors_waiting, 8 * s}}),
                "hot-path")
            .at(0)
            .next_step,
        Contains("Hardware counters"));
}
