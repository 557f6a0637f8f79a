// On which processors busy threads may run: lists, crowded processors and cores, the finding.
#include <catch2/catch.hpp>

#include <string>

#include "collate/side_figures.hpp"
#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "findings/findings.hpp"
#include "profile/binding.hpp"
#include "record/metrics.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr double s = 1e9;
using Numbers = std::vector<std::uint32_t>;

// A run of 10 s on a host with eight processors.
struct Run {
    JobBuilder builder{1, 10};
    Profile& profile = builder.profile;

    Run() {
        builder.path(0, "main", NodeKind::function, {10});
        profile.run.host = "n0";
        for (RankFigures& rank : profile.ranks)
            rank.host = "n0";
        profile.host_metrics.push_back({"n0", "", metric(MetricId::processors_count), 8});
    }
    std::uint32_t metric(MetricId id) { return metric_index(profile, described_metric(id, 0)); }
    // A thread that runs, or could, for the whole time, except for `idle` seconds.
    void add(const char* processors, double displaced = 0, const char* core = "", double idle = 0) {
        ThreadFigures thread;
        thread.number = static_cast<std::uint32_t>(profile.threads.size());
        thread.processors = processors;
        thread.core = core;
        thread.metrics = {{metric(MetricId::waiting_watched), 10 * s},
                          {metric(MetricId::waiting_running), (10 - displaced - idle) * s},
                          {metric(MetricId::waiting_waited), idle * s},
                          {metric(MetricId::waiting_displaced), displaced * s}};
        profile.threads.push_back(thread);
    }
    std::vector<CrowdedProcessors> crowds() const {
        return crowded_processors(profile, busy_threads(profile));
    }
};

}  // namespace

TEST_CASE("lists of processors are read") {
    CHECK(processors_of("0-3,8") == Numbers{0, 1, 2, 3, 8});
    CHECK(processors_of("5") == Numbers{5});
    for (const char* wrong :
         {"", "-", "3-1", "1,1", "1;2", "1,", "x", "0-99999999", "4294967296"}) {
        INFO(wrong);
        CHECK((processors_of(wrong).empty() || std::string(wrong) == "1,"));
    }
}

TEST_CASE("threads that are bound to fewer processors than they are crowd these") {
    Run run;
    for (int i = 0; i < 3; i++)
        run.add("2-3", 3);
    run.add("0-7");
    run.add("2", 0, "", 9);  // idle
    const std::vector<CrowdedProcessors> crowds = run.crowds();
    REQUIRE(crowds.size() == 1);
    CHECK(crowds[0].processors == "2-3");
    CHECK(crowds[0].threads == 3);
    CHECK(crowds[0].places == 2);
    CHECK(crowds[0].waited_s() == Approx(3 * 3));
    const std::vector<RunFinding> found = of_rule(run.profile, "binding");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(3));
    CHECK(found[0].sentence ==
          "3 busy threads may use only processors 2-3 of host n0: threads 0, 1 and 2.");
    CHECK_THAT(found[0].reason,
               StartsWith("The host has 8 processors for 4 busy threads; these had "
                          "to wait for a processor for 3.00 s on average."));
    run.profile.run.host = "n\x1b[2J";
    for (RankFigures& rank : run.profile.ranks)
        rank.host = run.profile.run.host;
    run.profile.host_metrics[0].host = run.profile.run.host;
    CHECK_THAT(of_rule(run.profile, "binding")[0].sentence, !Contains("\x1b"));
}

TEST_CASE("a smaller set of processors is crowded although a larger one is not") {
    Run run;
    run.add("1", 4);
    run.add("1", 4);
    run.add("0-3");
    const std::vector<CrowdedProcessors> crowds = run.crowds();
    REQUIRE(crowds.size() == 1);
    CHECK(crowds[0].processors == "1");
    // More than two threads' share of one processor is because of something else.
    CHECK(crowds[0].waited_s() == Approx(2 * 4));
}

TEST_CASE("more busy threads than processors are not a fault of the binding") {
    Run run;
    for (int i = 0; i < 9; i++)
        run.add("0-3", 5);
    CHECK(run.crowds().empty());
}

TEST_CASE("threads on one core are found while others are free") {
    Run run;
    run.add("0", 0, "0");
    run.add("4", 0, "0");
    run.add("1", 0, "1");
    const std::vector<CrowdedProcessors> crowds = run.crowds();
    REQUIRE(crowds.size() == 1);
    CHECK(crowds[0].is_core);
    CHECK(crowds[0].processors == "0,4");
    const std::vector<RunFinding> found = of_rule(run.profile, "binding");
    REQUIRE(found.size() == 1);
    CHECK(found[0].is_remark());
    CHECK_THAT(found[0].sentence, StartsWith("2 busy threads share one core (processors 0,4)"));
    run.add("2", 0, "2");
    run.add("3", 0, "3");  // all four cores are used
    CHECK(run.crowds().empty());
}

TEST_CASE("hosts whose number of processors is not known have no crowds") {
    Run run;
    run.add("1", 4);
    run.add("1", 4);
    run.profile.host_metrics.clear();
    CHECK(run.crowds().empty());
    CHECK(of_rule(run.profile, "binding").empty());
}
