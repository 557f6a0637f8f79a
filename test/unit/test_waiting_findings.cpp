// Findings about threads that wait for each other or for processors.
#include <catch2/catch.hpp>

#include <string>

#include "collate/side_figures.hpp"
#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "findings/findings.hpp"
#include "profile/locks.hpp"
#include "record/metrics.hpp"
#include "record/wait_kinds.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr std::int64_t s = 1'000'000'000;

// main < [thread] < work < {push < std::mutex::lock, pop}: 10 s, four threads.
struct Program {
    JobBuilder builder{1, 10};
    std::uint32_t main = path(0, "main", 1), thread, work, push, lock, pop;

    Program() {
        thread = builder.path(main, "[thread]", NodeKind::thread, {0});
        work = path(thread, "work", 5);
        push = path(work, "push", 1);
        lock = path(push, "std::mutex::lock", 2);
        pop = path(work, "pop", 1);
        for (Function& function : profile().functions)
            function.display = function.name;
        profile().run.threads = 4;
    }
    Profile& profile() { return builder.profile; }
    std::uint32_t path(std::uint32_t parent, const char* name, double seconds) {
        return builder.path(parent, name, NodeKind::function, {seconds});
    }
    void set_thread(std::uint32_t number,
                    std::initializer_list<std::pair<MetricId, double>> values) {
        ThreadFigures thread_row;
        thread_row.number = number;
        for (const auto& [metric, value] : values)
            thread_row.metrics.push_back(
                {metric_index(profile(), described_metric(metric, 0)), value});
        std::sort(thread_row.metrics.begin(), thread_row.metrics.end(),
                  [](const RowMetric& a, const RowMetric& b) { return a.metric < b.metric; });
        profile().threads.push_back(thread_row);
    }
    void set_states(std::uint32_t number, double running, double waited, double displaced) {
        set_thread(number, {{MetricId::waiting_watched, (running + waited + displaced) * s},
                            {MetricId::waiting_running, running * s},
                            {MetricId::waiting_waited, waited * s},
                            {MetricId::waiting_displaced, displaced * s}});
    }
};

LockWait wait_for(std::uint32_t path, std::uint32_t holder, double seconds) {
    LockWait row;
    row.kind = LockKind::mutex;
    row.path = path;
    row.holder = holder;
    row.waits = 100;
    row.ns = static_cast<std::int64_t>(seconds * s);
    row.longest_ns = row.ns / 10;
    return row;
}

}  // namespace

TEST_CASE("rows about one lock become a lock, the one with the longest time first") {
    Program program;
    LockWait short_wait = wait_for(program.pop, no_index, 0.5);
    short_wait.offset = 8;
    short_wait.module = 0;
    program.profile().lock_waits = {short_wait, wait_for(program.lock, program.pop, 2),
                                    wait_for(program.lock, program.push, 1),
                                    wait_for(program.pop, program.push, 1.5)};
    const std::vector<Lock> locks = locks_of(program.profile());
    REQUIRE(locks.size() == 2);
    CHECK(locks[0].rows.size() == 3);
    CHECK(locks[0].ns == 4 * s + s / 2);
    CHECK(locks[0].waits == 300);
    CHECK(locks[0].longest_ns == s / 5);
    CHECK(locks[0].main_waiter() == program.lock);
    CHECK(locks[0].main_holder() == program.push);
    CHECK(locks[0].ns_of_holder(program.push) == 2 * s + s / 2);
    CHECK(locks[1].main_holder() == no_index);
    CHECK(path_outside_library(program.profile(), program.lock) == program.push);
    CHECK(path_outside_library(program.profile(), program.thread) == program.thread);
}

TEST_CASE("waits for a lock are found, with the thread that has it") {
    Program program;
    LockWait row = wait_for(program.lock, program.pop, 4);
    row.module = 0;
    row.name = "queue_lock";
    LockWait unnamed = wait_for(program.push, no_index, 2.4);
    unnamed.origin = program.lock;
    LockWait condition = wait_for(program.pop, no_index, 30);
    condition.kind = LockKind::condition;
    condition.origin = program.pop;
    program.profile().lock_waits = {row, unnamed, condition};
    const std::vector<RunFinding> found = of_rule(program.profile(), "lock-contention");
    REQUIRE(found.size() == 2);
    CHECK(found[0].saved_seconds == Approx(1));
    CHECK(found[0].sentence ==
          "Threads wait 4.00 s for the mutex queue_lock, on average 10.0 % of the "
          "time of each of 4 threads.");
    CHECK_THAT(found[0].reason,
               StartsWith("They wait 100 times, 40.0 ms on average, mostly in push"));
    CHECK_THAT(found[0].reason,
               Contains("for 100.0 % of that time, the thread that has it is in pop"));
    CHECK_THAT(found[1].sentence, Contains("for a mutex first used in push, on average 6.0 %"));
    CHECK_THAT(found[1].reason, Contains("where the thread is that has it is not known"));
    // Profiles may be other users'.
    program.profile().lock_waits[0].name = "a\x1b[2Jb";
    CHECK_THAT(of_rule(program.profile(), "lock-contention")[0].sentence, !Contains("\x1b"));
    // Too little of the time of each thread.
    program.profile().lock_waits = {wait_for(program.push, program.pop, 1.9)};
    CHECK(of_rule(program.profile(), "lock-contention").empty());
}

TEST_CASE("threads that hardly ever work are found") {
    Program program;
    program.set_states(0, 0.1, 9.9, 0);
    program.set_states(1, 1, 9, 0);
    program.set_states(2, 8, 2, 0);
    program.set_states(3, 0.01, 9.99, 0);  // a helper
    const std::vector<RunFinding> found = of_rule(program.profile(), "idle-threads");
    REQUIRE(found.size() == 1);
    CHECK(found[0].is_remark());
    CHECK(found[0].sentence == "1 of 2 threads besides the first wait 90.0 % of the time.");
    program.set_states(4, 9, 1, 0);
    CHECK(of_rule(program.profile(), "idle-threads").empty());
}

TEST_CASE("work that had no processor is found where it is") {
    Program program;
    program.set_states(0, 8, 0, 2);
    program.profile().metric_values = {
        {program.work,
         metric_index(program.profile(), described_metric(MetricId::waiting_preempted, 0)),
         1.5 * s}};
    const std::vector<RunFinding> found = of_rule(program.profile(), "preempted");
    REQUIRE(found.size() == 1);
    CHECK(found[0].confidence == Confidence::possible);
    CHECK_THAT(found[0].sentence,
               StartsWith("Threads had no processor, although they could run, for 20.0 % of "
                          "their life (2.00 s), 75.0 % of it in work"));
    program.profile().threads.clear();
    program.set_states(0, 9.5, 0, 0.5);
    CHECK(of_rule(program.profile(), "preempted").empty());
}
