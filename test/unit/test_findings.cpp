// Findings: each rule finds its fault, at the right place, and nothing if there is no fault.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "findings/findings.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

std::string name_of(const Profile& profile, std::uint32_t path) {
    return path == no_index ? "" : profile.functions[profile.paths[path].function].name;
}

// Four ranks of 10 s that compute equally long and hardly wait.
Profile healthy_job() {
    JobBuilder job(4, 10);
    const auto main = job.path(0, "main", NodeKind::function, {0.5, 0.5, 0.5, 0.5});
    job.path(main, "relax", NodeKind::function, {5.0, 5.1, 5.0, 4.9});
    job.path(main, "update", NodeKind::function, {4.0, 4.0, 4.1, 4.0});
    job.path(main, "MPI_Allreduce", NodeKind::mpi, {0.2, 0.2, 0.2, 0.25});
    const auto send = job.path(main, "MPI_Sendrecv", NodeKind::mpi, {0.2, 0.2, 0.2, 0.25});
    job.profile.messages = {{send, {4000, 400'000'000, 0, 0}, {4000, 400'000'000, 0, 0}}};
    return job.profile;
}

// One process with two threads: `alone` seconds outside regions, and the second thread's wait.
Profile openmp_job(double alone, double waiting) {
    JobBuilder job(1, 10);
    const auto main = job.path(0, "main", NodeKind::function, {0.1});
    job.path(main, "assemble", NodeKind::function, {alone - 0.1});
    const double inside = 10 - alone;
    const auto region = job.path(main, "omp parallel @a.c:1", NodeKind::openmp, {0.0});
    job.path(region, "work", NodeKind::function, {2 * inside - waiting});
    job.path(region, "omp implicit barrier @a.c:1", NodeKind::openmp, {waiting});
    Profile& profile = job.profile;
    const auto ns = JobBuilder::ns;
    profile.threads = {{0, 0, "", main, false, 1, 0, ns(10), ns(inside), 0, ns(10)},
                       {0, 1, "", 0, true, 1, 0, ns(inside), ns(inside), ns(waiting), ns(10)}};
    profile.parallel_regions = {
        {region, 100, 2, ns(2 * inside - waiting), ns(inside), ns(waiting)}};
    return profile;
}

Profile gpu_job(double kernels, double copies, double both, double span) {
    JobBuilder job(1, 10);
    const auto main = job.path(0, "main", NodeKind::function, {9});
    const auto copy = job.path(main, "cudaMemcpy", NodeKind::gpu, {1});
    const auto ns = JobBuilder::ns;
    job.profile.gpu_devices = {{0, 0, "GPU", ns(kernels), ns(copies), ns(both), ns(span)}};
    job.profile.gpu_work.push_back({copy, no_index, GpuWork::host_to_device, 10, ns(copies)});
    return job.profile;
}

}  // namespace

TEST_CASE("healthy programs have no faults") {
    CHECK(faults(healthy_job()) == 0);
    CHECK(faults(serial_job()) == 0);
    CHECK(faults(openmp_job(0.2, 0.1)) == 0);
    CHECK(faults(gpu_job(9, 0.2, 0.1, 9.5)) == 0);
    CHECK(faults(Profile{}) == 0);
    CHECK(find_all(Profile{}).empty());
}

TEST_CASE("a load imbalance is found, with the rank and the path that have it") {
    const Profile job = mpi_job();
    const std::vector<RunFinding> found = of_rule(job, "load-imbalance");
    REQUIRE(found.size() == 1);
    CHECK(found[0].rank == 0);
    CHECK(name_of(job, found[0].path) == "relax");
    CHECK(found[0].saved_seconds == Approx(2));
    CHECK(found[0].share == Approx(0.2));
    CHECK(found[0].confidence == Confidence::certain);
    CHECK(found[0].sentence ==
          "Rank 0 computes for 8.00 s, 2.00 s longer than the mean of 4 ranks (load balance 0.75); "
          "most of the excess is in relax, called by solve < main.");
}

TEST_CASE("ranks that are slow in turn are found by path") {
    JobBuilder job(2, 10);
    job.path(0, "first", NodeKind::function, {4, 1});
    job.path(0, "second", NodeKind::function, {1, 4});
    job.path(0, "MPI_Barrier", NodeKind::mpi, {5, 5});
    const std::vector<RunFinding> found = of_rule(job.profile, "load-imbalance");
    REQUIRE(found.size() == 2);
    CHECK(found[0].rank == 0);
    CHECK(found[1].rank == 1);
    CHECK(found[0].confidence == Confidence::possible);
}

TEST_CASE("waiting in a collective is found, with the last rank") {
    const Profile job = mpi_job();
    const std::vector<RunFinding> found = of_rule(job, "collective-wait");
    REQUIRE(found.size() == 1);
    CHECK(name_of(job, found[0].path) == "MPI_Barrier");
    CHECK(found[0].rank == 0);
    CHECK(found[0].saved_seconds == Approx(2.25));
    CHECK(found[0].sentence ==
          "Ranks wait 2.25 s on average, 22.5 % of the time, in MPI_Barrier, called by solve < "
          "main.");
}

TEST_CASE("the rank that others wait for is found by traces") {
    JobBuilder job(4, 10);
    const auto main = job.path(0, "main", NodeKind::function, {1, 1, 1, 1});
    const auto late = job.path(main, "assemble", NodeKind::function, {5, 5, 9, 5});
    const auto other = job.path(main, "output", NodeKind::function, {0, 0, 0.1, 0});
    const auto wait = job.path(main, "MPI_Waitall", NodeKind::mpi, {4, 4, 0, 4});
    CHECK(of_rule(job.profile, "late-rank").empty());
    const auto ns = JobBuilder::ns;
    job.profile.wait_causes = {{2, late, WaitPattern::late_sender, wait, ns(2)},
                               {2, late, WaitPattern::all_to_all, wait, ns(8)},
                               {2, other, WaitPattern::barrier, wait, ns(0.3)}};
    const std::vector<RunFinding> found = of_rule(job.profile, "late-rank");
    REQUIRE(found.size() == 1);
    CHECK(found[0].rank == 2);
    CHECK(name_of(job.profile, found[0].path) == "assemble");
    CHECK(found[0].saved_seconds == Approx(2.5));
    CHECK(found[0].sentence == "Ranks wait for rank 2: 2.50 s each on average, 25.0 % of the time, "
                               "while it is in assemble, called by main.");
    CHECK(found[0].reason == "All ranks together wait 8.00 s in MPI_Waitall, called by main "
                             "(all-to-all), and 2.00 s in MPI_Waitall, called by main "
                             "(late-sender).");
    CHECK(found[0].confidence == Confidence::certain);
    // A rank that waits itself is not the culprit.
    job.profile.wait_causes = {{2, wait, WaitPattern::late_sender, wait, ns(4)}};
    REQUIRE(of_rule(job.profile, "late-rank").size() == 1);
    CHECK(of_rule(job.profile, "late-rank")[0].confidence == Confidence::possible);
}

TEST_CASE("waiting for messages is found where moving them takes much less") {
    Profile job = healthy_job();
    CHECK(of_rule(job, "message-wait").empty());
    JobBuilder late(4, 10);
    const auto receive = late.path(0, "MPI_Recv", NodeKind::mpi, {0, 2, 2, 2});
    late.path(0, "compute", NodeKind::function, {10, 8, 8, 8});
    late.profile.messages = {{receive, {}, {30, 8000, 0, 0}}};
    const std::vector<RunFinding> found = of_rule(late.profile, "message-wait");
    REQUIRE(found.size() == 1);
    CHECK(name_of(late.profile, found[0].path) == "MPI_Recv");
    CHECK(found[0].rank == 1);
    CHECK(found[0].saved_seconds == Approx(1.5).epsilon(0.01));
    late.profile.messages.clear();  // they were not recorded: nothing is known
    CHECK(of_rule(late.profile, "message-wait").empty());
}

TEST_CASE("small messages are found") {
    JobBuilder job(2, 10);
    const auto send = job.path(0, "MPI_Send", NodeKind::mpi, {2, 2});
    job.path(0, "compute", NodeKind::function, {8, 8});
    job.profile.messages = {{send, {400'000, 3'200'000, 0, 0}, {}}};
    const std::vector<RunFinding> found = of_rule(job.profile, "small-messages");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(1.8));
    job.profile.messages[0].sent.bytes = 400'000 * 100'000ull;
    CHECK(of_rule(job.profile, "small-messages").empty());
    job.profile.messages[0].sent = {100, 800, 0, 0};  // few messages, for which ranks waited
    CHECK(of_rule(job.profile, "small-messages").empty());
}

TEST_CASE("a serial part is found, with the function that is not parallelised") {
    const Profile job = openmp_job(6, 0.1);
    const std::vector<RunFinding> found = of_rule(job, "serial-part");
    REQUIRE(found.size() == 1);
    CHECK(name_of(job, found[0].path) == "assemble");
    CHECK(found[0].saved_seconds == Approx(3));
}

TEST_CASE("threads that wait in a region are found, and why") {
    Profile job = openmp_job(1, 4);
    std::vector<RunFinding> found = of_rule(job, "thread-starvation");
    REQUIRE(found.size() == 1);
    CHECK(name_of(job, found[0].path) == "omp parallel @a.c:1");
    CHECK(found[0].saved_seconds == Approx(2));
    CHECK(found[0].reason.find("distributed unevenly") != std::string::npos);
    job.functions[job.paths.back().function].name = "omp critical wait @a.c:3";
    found = of_rule(job, "thread-starvation");
    REQUIRE(found.size() == 1);
    CHECK(name_of(job, found[0].path) == "omp critical wait @a.c:3");
}

TEST_CASE("an idle GPU, and copies that do not overlap, are found") {
    const Profile idle = gpu_job(2, 0.1, 0.1, 9);
    REQUIRE(of_rule(idle, "gpu-idle").size() == 1);
    CHECK(of_rule(idle, "gpu-idle")[0].saved_seconds == Approx(7));
    CHECK(of_rule(idle, "gpu-copies").empty());
    CHECK(of_rule(idle, "low-efficiency").empty());  // the idle GPU is one finding
    const Profile copies = gpu_job(5, 4, 1, 9);
    CHECK(of_rule(copies, "gpu-idle").empty());
    const std::vector<RunFinding> found = of_rule(copies, "gpu-copies");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(3));
    CHECK(name_of(copies, found[0].path) == "cudaMemcpy");
}

TEST_CASE("a host that is slow in everything is found") {
    JobBuilder job(4, 10);
    for (const char* name : {"one", "two", "three"})
        job.path(0, name, NodeKind::function, {2, 2, 3, 3});
    job.path(0, "MPI_Allreduce", NodeKind::mpi, {4, 4, 1, 1});
    const std::vector<RunFinding> found = of_rule(job.profile, "slow-rank");
    REQUIRE(found.size() == 1);
    CHECK(found[0].sentence.find("Host n1") == 0);
    CHECK(found[0].confidence == Confidence::likely);
    CHECK(of_rule(mpi_job(), "slow-rank").empty());  // slow in one path
}

TEST_CASE("time in the start of MPI and in memory allocation is found") {
    JobBuilder mpi(2, 4);
    mpi.path(0, "MPI_Init", NodeKind::mpi, {2, 2});
    mpi.path(0, "compute", NodeKind::function, {2, 2});
    REQUIRE(of_rule(mpi.profile, "runtime-systems").size() == 1);
    CHECK(of_rule(healthy_job(), "runtime-systems").empty());
    JobBuilder memory(1, 10);
    const auto main = memory.path(0, "main", NodeKind::function, {6});
    memory.path(main, "malloc", NodeKind::function, {4}, 1'000'000);
    const std::vector<RunFinding> found = of_rule(memory.profile, "allocation");
    REQUIRE(found.size() == 1);
    CHECK(found[0].saved_seconds == Approx(4));
    CHECK(of_rule(serial_job(), "allocation").empty());
}

TEST_CASE("a hot path, deep recursion and full memory are remarks") {
    const std::vector<RunFinding> hot = of_rule(serial_job(), "hot-path");
    REQUIRE(hot.size() == 1);
    CHECK(hot[0].is_remark());
    CHECK(hot[0].share == Approx(0.95));
    JobBuilder deep(1, 10);
    std::uint32_t path = deep.path(0, "fib", NodeKind::function, {2});
    for (int level = 0; level < 4; level++) {
        path = deep.path(path, "fib", NodeKind::function, {2});
        deep.profile.paths[path].function = deep.profile.paths[1].function;
    }
    const std::vector<RunFinding> recursion = of_rule(deep.profile, "recursion");
    REQUIRE(recursion.size() == 1);
    CHECK(recursion[0].sentence == "100.0 % of the time is spent in the recursion of fib, 5 levels "
                                   "deep.");
    CHECK(of_rule(serial_job(), "recursion").empty());
    Profile full = serial_job();
    full.metrics = {{"memory.used", "%"}};
    full.host_metrics = {{"n0", "", 0, 90}, {"n1", "", 0, 99}};
    REQUIRE(of_rule(full, "host-memory").size() == 1);
    full.host_metrics.pop_back();
    CHECK(of_rule(full, "host-memory").empty());
}

TEST_CASE("findings are sorted by what they could save, and seven at most") {
    const std::vector<RunFinding> all = find_all(mpi_job());
    CHECK(all.size() <= most_findings);
    CHECK(std::is_sorted(all.begin(), all.end(), [](const RunFinding& a, const RunFinding& b) {
        return a.saved_seconds > b.saved_seconds;
    }));
    CHECK(find_all(mpi_job(), 1).size() == 1);
    CHECK(all.front().rule == "load-imbalance");
}

TEST_CASE("what one slow rank causes is one finding with its effects") {
    const std::vector<RunFinding> all = find_all(mpi_job());
    CHECK(faults(mpi_job()) == 1);
    CHECK(all[0].saved_seconds == Approx(2));
    CHECK(std::any_of(all[0].effects.begin(), all[0].effects.end(),
                      [](const RunFinding& effect) { return effect.rule == "collective-wait"; }));
    // Another rank is late: that is a different cause.
    Profile other = mpi_job();
    for (RankSpread& spread : other.spread)
        if (spread.min_ns == second / 2)
            spread.min_rank = 1;
    CHECK(of_rule(other, "collective-wait").size() == 1);
    CHECK(faults(other) == 2);
}

TEST_CASE("savings of all findings add up to at most the run time") {
    JobBuilder job(1, 10);
    const auto main = job.path(0, "main", NodeKind::function, {2});
    job.path(main, "malloc", NodeKind::function, {8}, 1'000'000);
    Profile& profile = job.profile;
    profile.gpu_devices = {{0, 0, "GPU", second / 2, second / 10, second / 10, 9 * second}};
    double sum = 0;
    for (const RunFinding& finding : find_all(profile))
        sum += finding.saved_seconds;
    CHECK(sum == Approx(10));
}

TEST_CASE("ranks that wait in turn have equal totals: the time in MPI is a finding") {
    JobBuilder job(2, 10);
    const auto main = job.path(0, "main", NodeKind::function, {3.4, 3.4});
    job.path(main, "MPI_Allreduce", NodeKind::mpi, {3.4, 3.4});
    job.path(main, "MPI_Waitall", NodeKind::mpi, {3.2, 3.2});
    const std::vector<RunFinding> all = find_all(job.profile);
    REQUIRE(!all.empty());
    CHECK(all[0].rule == "communication");
    CHECK(all[0].sentence == "66.0 % of the time, 6.60 s per rank, is spent in MPI, the largest "
                             "part (34.0 %) in MPI_Allreduce, called by main.");
    CHECK(of_rule(job.profile, "low-efficiency").size() == 1);
    CHECK(find_all(healthy_job()).size() <= 1);  // the hot path
}

TEST_CASE("a function that two callers share counts as one") {
    JobBuilder job(1, 10);
    const auto main = job.path(0, "main", NodeKind::function, {3});
    const auto one = job.path(main, "one", NodeKind::function, {0.05});
    const auto other = job.path(main, "other", NodeKind::function, {0.05});
    const auto kernel = job.path(one, "kernel", NodeKind::function, {3.9});
    job.path(other, "kernel", NodeKind::function, {3.0});
    job.profile.paths.back().function = job.profile.paths[kernel].function;
    const std::vector<RunFinding> hot = of_rule(job.profile, "hot-path");
    REQUIRE(hot.size() == 1);
    CHECK(hot[0].sentence == "The largest part of the time, 69.0 % (6.90 s), is spent in kernel, "
                             "called by one (39.0 %), other (30.0 %).");
}

TEST_CASE("places that are shortened look different") {
    JobBuilder job(2, 10);
    const auto path = [&](const char* outermost, std::vector<double> seconds) {
        std::uint32_t at = job.path(0, "main", NodeKind::function, {0, 0});
        at = job.path(at, outermost, NodeKind::function, {0, 0});
        for (const char* name : {"d", "c", "b", "a"})
            at = job.path(at, name, NodeKind::function, {0, 0});
        return job.path(at, "work", NodeKind::function, seconds);
    };
    const auto first = path("read_mesh", {4, 1}), second_path = path("write_mesh", {1, 4});
    job.profile.paths[second_path].function = job.profile.paths[first].function;
    job.path(0, "MPI_Barrier", NodeKind::mpi, {5, 5});
    const std::vector<RunFinding> found = of_rule(job.profile, "load-imbalance");
    REQUIRE(found.size() == 2);
    CHECK(found[0].sentence.find("read_mesh") != std::string::npos);
    CHECK(found[1].sentence.find("write_mesh") != std::string::npos);
}

TEST_CASE("next steps name the file") {
    Profile job = serial_job();
    job.run.ranks = 1;
    const auto step = [](std::string_view file) {
        JobBuilder late(4, 10);
        const auto receive = late.path(0, "MPI_Recv", NodeKind::mpi, {0, 2, 2, 2});
        late.path(0, "compute", NodeKind::function, {8, 8, 8, 8});
        late.profile.messages = {{receive, {}, {30, 8000, 0, 0}}};
        for (const RunFinding& group : find_all(late.profile, 10, file))
            for (const RunFinding& effect : group.effects)
                if (effect.rule == "message-wait")
                    return effect.next_step;
        return std::string();
    };
    CHECK(step("out/job_all.json").find("report out/job_all.json out/job_*.vfd\"") !=
          std::string::npos);
    CHECK(step("x.json").find("report x.json *.vfd\"") != std::string::npos);
    CHECK(step("FILE").find("report --matrix FILE\"") != std::string::npos);
}

TEST_CASE("a task that blocks its event loop is a remark") {
    JobBuilder job(1, 10);
    const auto task = job.path(0, "serve", NodeKind::task, {5});
    TaskLoop loop;
    loop.longest_task = task;
    loop.longest_run_ns = 105'000'000;
    job.profile.task_loops = {loop};
    const std::vector<RunFinding> found = of_rule(job.profile, "blocked-loop");
    REQUIRE(found.size() == 1);
    CHECK(found[0].is_remark());
    CHECK(found[0].sentence.find("serve") != std::string::npos);
    job.profile.task_loops[0].longest_run_ns = 5'000'000;
    CHECK(of_rule(job.profile, "blocked-loop").empty());
}

TEST_CASE("short runs have no findings") {
    Profile job = mpi_job();
    const auto shorten = [](std::int64_t& ns) { ns /= 1000; };
    shorten(job.run.runtime_ns);
    for (RankFigures& rank : job.ranks)
        shorten(rank.runtime_ns), shorten(rank.mpi_ns);
    for (Path& path : job.paths)
        shorten(path.exclusive_ns);
    for (RankSpread& spread : job.spread)
        shorten(spread.min_ns), shorten(spread.max_ns);
    for (RankValues& values : job.rank_values)
        for (std::int64_t& ns : values.exclusive_ns)
            shorten(ns);
    CHECK(find_all(job).empty());
}

TEST_CASE("the quality of a measurement is reported") {
    const auto grade = [](const Profile& profile, std::string_view id) {
        for (const QualityFigure& figure : quality(profile))
            if (figure.id == id)
                return figure.grade;
        FAIL("there is no such figure");
        return Grade::poor;
    };
    for (const QualityFigure& figure : quality(healthy_job()))
        CHECK(figure.grade == Grade::good);
    Profile profile = healthy_job();
    for (RankFigures& rank : profile.ranks)
        rank.runtime_ns = second / 2;
    CHECK(grade(profile, "run-time") == Grade::fair);
    profile = healthy_job();
    profile.ranks.pop_back();
    CHECK(grade(profile, "ranks") == Grade::poor);
    profile.run.shortest_wait_ns = 1000;
    CHECK(grade(profile, "rank-clocks") == Grade::good);
    profile.run.shortest_wait_ns = 2'000'000'000;
    CHECK(grade(profile, "rank-clocks") == Grade::poor);
    profile = serial_job();
    profile.run.delay_ns = 5 * second;
    CHECK(grade(profile, "overhead") == Grade::fair);
    profile.run.config_text = "{\"overhead\": {\"budget\": 30}}";
    CHECK(grade(profile, "overhead") == Grade::good);
    profile.run.notices = {{NoticeCode::calls_dropped, {3}}};
    CHECK(grade(profile, "losses") == Grade::fair);
    profile.functions.back().symbol = "";
    profile.functions.back().name = "libx.so+0x12f0";
    CHECK(grade(profile, "names") == Grade::poor);
    profile.paths.back().flags = path_thinned;
    CHECK(grade(profile, "estimates") == Grade::poor);
    profile.run.snapshot = true;
    CHECK(grade(profile, "end") == Grade::fair);
    profile.run.sample_period_ns = 4'000'000;
    CHECK(grade(profile, "samples") == Grade::poor);
}
