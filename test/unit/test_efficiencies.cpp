// Efficiencies of jobs that are computed by hand.
#include <catch2/catch.hpp>

#include <string>

#include "efficiency/collectives.hpp"
#include "efficiency/efficiencies.hpp"
#include "efficiency_jobs.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

double value_of(const RegionEfficiency& region, std::string_view id) {
    const EfficiencyFigure* figure = region.find(id);
    REQUIRE(figure != nullptr);
    return figure->value;
}

void check(const RegionEfficiency& region, std::string_view id, double value, int depth,
           Bound bound = Bound::exact) {
    CAPTURE(std::string(id));
    const EfficiencyFigure* figure = region.find(id);
    REQUIRE(figure != nullptr);
    CHECK(figure->value == Approx(value).epsilon(1e-12));
    CHECK(int{figure->depth} == depth);
    CHECK(figure->bound == bound);
}

}  // namespace

TEST_CASE("efficiencies of four ranks on two hosts") {
    // 8, 6, 5 and 5 s outside MPI; waiting in barriers 0, 3, 3 and 3 s.
    const std::vector<RegionEfficiency> all = efficiencies(mpi_job());
    REQUIRE(all.size() == 1);
    const RegionEfficiency& run = all[0];
    CHECK(run.ranks == 4);
    CHECK(run.processors == 4);
    CHECK(run.elapsed_ns == 10 * second);
    CHECK(run.figures.size() == 7);
    check(run, "parallel", 0.6, 0);
    check(run, "load_balance", 6.0 / 8, 1);
    check(run, "load_balance_inside", 7.0 / 8, 2);
    check(run, "load_balance_across", 6.0 / 7, 2);
    check(run, "communication", 0.8, 1);
    check(run, "serialisation", 8.0 / 9, 2, Bound::at_most);
    check(run, "transfer", 0.9, 2, Bound::at_least);
    CHECK(run.remark.empty());
}

TEST_CASE("without values by rank serialisation and transfer are not shown") {
    Profile job = mpi_job();
    job.rank_values.clear();
    const RegionEfficiency run = efficiencies(job)[0];
    CHECK(run.find("serialisation") == nullptr);
    CHECK(run.find("transfer") == nullptr);
    check(run, "communication", 0.8, 1);
}

TEST_CASE("efficiencies of four ranks with two threads and a GPU each") {
    // Each rank spends 10 s: 2 s in MPI, 2 s in serial code, 1 s of that in CUDA, and 6 s in a
    // parallel region in which its second thread works for 4 s.
    const RegionEfficiency run = efficiencies(hybrid_job())[0];
    CHECK(run.processors == 8);
    check(run, "parallel", 44.0 / 80, 0);
    check(run, "mpi", 0.8, 1);
    check(run, "load_balance", 1, 2);
    check(run, "communication", 0.8, 2);
    check(run, "openmp", 12.0 / 16, 1);
    check(run, "openmp_load_balance", 14.0 / 16, 2);
    check(run, "openmp_scheduling", 1, 2);
    check(run, "openmp_serialisation", 12.0 / 14, 2);
    check(run, "offload", 11.0 / 12, 1);
    check(run, "gpu", 12.0 / 40, 0);
    check(run, "gpu_load_balance", 3.0 / 4, 1);
    check(run, "gpu_communication", 4.0 / 6, 1);
    check(run, "gpu_orchestration", 0.6, 1);
    CHECK(value_of(run, "mpi") * value_of(run, "openmp") * value_of(run, "offload") ==
          Approx(value_of(run, "parallel")));
    CHECK(value_of(run, "gpu_load_balance") * value_of(run, "gpu_communication") *
              value_of(run, "gpu_orchestration") ==
          Approx(value_of(run, "gpu")));
}

TEST_CASE("efficiencies of several runs refer to the smallest") {
    // 20 s on one processor; 24 s of work on four, with a tenth more instructions.
    Profile small = serial_job(), large = mpi_job();
    add_counters(small, 4e10, 4e10, 20);
    add_counters(large, 4.4e10, 4.8e10, 24);
    const Profile* const runs[] = {&large, &small};
    std::vector<std::uint32_t> order;
    const std::vector<RegionEfficiency> all = scaling_efficiencies(runs, Scaling::strong, order);
    CHECK(order == std::vector<std::uint32_t>{1, 0});
    check(all[0], "global", 1, 0);
    check(all[0], "parallel", 1, 1);
    check(all[0], "computation", 1, 1);
    check(all[1], "global", 0.6 * 20 / 24, 0);
    check(all[1], "parallel", 0.6, 1);
    check(all[1], "load_balance", 0.75, 2);
    check(all[1], "computation", 20.0 / 24, 1);
    check(all[1], "instructions", 1 / 1.1, 2);
    check(all[1], "ipc", 4.4 / 4.8, 2);
    check(all[1], "frequency", 1, 2);
    const std::vector<RegionEfficiency> weak = scaling_efficiencies(runs, Scaling::weak, order);
    check(weak[1], "computation", 4 * 20.0 / 24, 1);
    check(weak[1], "instructions", 4 / 1.1, 2);
}

TEST_CASE("counters that do not exclude MPI are not compared") {
    Profile small = serial_job(), large = mpi_job();
    add_counters(small, 4e10, 4e10, 20);
    add_counters(large, 4.4e10, 4.8e10, 24);
    std::erase_if(large.metric_values, [&](const MetricValue& value) {
        return large.functions[large.paths[value.path].function].kind == NodeKind::mpi;
    });
    const Profile* const runs[] = {&small, &large};
    std::vector<std::uint32_t> order;
    const auto all = scaling_efficiencies(runs, Scaling::strong, order);
    CHECK(all[1].find("computation") != nullptr);
    CHECK(all[1].find("ipc") == nullptr);
    CHECK(all[1].find("instructions") == nullptr);
}

TEST_CASE("efficiencies of a region are those of its paths") {
    // "solve" takes 7, 5, 4 and 4 s outside MPI, and contains the whole barrier.
    const std::vector<RegionEfficiency> all = efficiencies(mpi_job(), "^solve$");
    REQUIRE(all.size() == 2);
    const RegionEfficiency& region = all[1];
    CHECK(region.region == "solve");
    CHECK(region.elapsed_ns == static_cast<std::int64_t>(8.5 * second));
    check(region, "load_balance", 5.0 / 7, 1);
    check(region, "communication", 7 / 8.5, 1);
    CHECK(efficiencies(mpi_job(), "nothing").size() == 1);
    CHECK(efficiencies(mpi_job(), "(").size() == 1);  // not an expression
}

TEST_CASE("unknown values are left out, with the reason") {
    Profile part = mpi_job();
    part.ranks.pop_back();
    RegionEfficiency run = efficiencies(part)[0];
    CHECK(run.figures.empty());
    CHECK(run.remark == "The profile has 3 of 4 ranks.");

    Profile paused = mpi_job();
    paused.run.paused_ns = second;
    CHECK(efficiencies(paused)[0].figures.empty());

    Profile large = mpi_job();
    for (RankValues& values : large.rank_values)
        values.calls.clear(), values.exclusive_ns.clear();
    const std::vector<RegionEfficiency> all = efficiencies(large, "solve");
    CHECK(all[1].figures.empty());
    CHECK(!all[1].remark.empty());

    Profile threads = hybrid_job();
    threads.threads.back().number = no_index;  // a row for threads that were left out
    run = efficiencies(threads)[0];
    CHECK(run.find("openmp") == nullptr);
    CHECK(run.find("parallel") == nullptr);
    check(run, "load_balance", 1, 1);
    CHECK(!run.remark.empty());

    CHECK(efficiencies(serial_job())[0].figures.empty());
    CHECK(efficiencies(Profile{})[0].figures.empty());
}

TEST_CASE("MPI functions are classified by name") {
    CHECK(mpi_call("MPI_Allreduce") == MpiCall::all_to_all);
    CHECK(mpi_call("mpi_barrier_") == MpiCall::all_to_all);
    CHECK(mpi_call("MPI_BCAST") == MpiCall::collective);
    CHECK(mpi_call("MPI_Bcast_sync") == MpiCall::waiting);
    CHECK(mpi_call("MPI_Waitall") == MpiCall::point_to_point);
    CHECK(mpi_call("MPI_Init") == MpiCall::start_or_end);
    CHECK(mpi_call("barrier") == MpiCall::other);
    CHECK(mpi_call("") == MpiCall::other);
}
