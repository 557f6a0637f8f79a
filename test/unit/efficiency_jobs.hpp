// Profiles of jobs with efficiencies that can be computed by hand, with one fault each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "record/metrics.hpp"

namespace vftrace::test {

inline constexpr std::int64_t second = 1'000'000'000;

// Returns its index.
inline std::uint32_t add_metric(Profile& profile, MetricId id) {
    const MetricRow& row = row_of(id);
    Metric metric;
    metric.name = row.name;
    metric.scope = row.scope;
    profile.metrics.push_back(metric);
    return static_cast<std::uint32_t>(profile.metrics.size() - 1);
}

// A profile that is assembled path by path.
class JobBuilder {
  public:
    explicit JobBuilder(std::uint32_t ranks, double elapsed_s) {
        profile.run.application = "job";
        profile.run.ranks = ranks;
        profile.run.uses_mpi = ranks > 1;
        profile.run.runtime_ns = ns(elapsed_s);
        profile.run.host = "n0";
        path(no_index, "init", NodeKind::root, std::vector<double>(ranks, 0));
        for (std::uint32_t rank = 0; ranks > 1 && rank < ranks; rank++) {
            RankFigures figures;
            figures.rank = rank;
            figures.host = "n" + std::to_string(rank * 2 / ranks);
            figures.runtime_ns = ns(elapsed_s);
            figures.delay_ns = 0;
            profile.ranks.push_back(figures);
        }
    }

    // Seconds and calls of each rank.
    std::uint32_t path(std::uint32_t parent, const std::string& name, NodeKind kind,
                       const std::vector<double>& seconds, std::uint64_t calls = 10) {
        Function function;
        function.name = function.display = function.symbol = name;
        function.kind = kind;
        profile.functions.push_back(function);
        const auto index = static_cast<std::uint32_t>(profile.paths.size());
        Path& path = profile.paths.emplace_back();
        path.parent = parent;
        path.function = static_cast<std::uint32_t>(profile.functions.size() - 1);
        path.stid = index;
        RankValues values;
        values.path = index;
        RankSpread spread{static_cast<std::uint32_t>(seconds.size()), 0, 0, ns(seconds[0]),
                          ns(seconds[0])};
        for (std::uint32_t rank = 0; rank < seconds.size(); rank++) {
            const std::int64_t time = ns(seconds[rank]);
            path.exclusive_ns += time;
            path.calls += calls;
            values.exclusive_ns.push_back(time);
            values.calls.push_back(calls);
            if (time < spread.min_ns)
                spread.min_ns = time, spread.min_rank = rank;
            if (time > spread.max_ns)
                spread.max_ns = time, spread.max_rank = rank;
            if (kind == NodeKind::mpi && rank < profile.ranks.size())
                profile.ranks[rank].mpi_ns += time;
        }
        path.inclusive_ns = path.raw_inclusive_ns = path.exclusive_ns;
        path.raw_exclusive_ns = path.exclusive_ns;
        if (seconds.size() > 1) {
            profile.spread.push_back(spread);
            profile.rank_values.push_back(values);
        }
        return index;
    }

    static std::int64_t ns(double seconds) {
        return static_cast<std::int64_t>(seconds * static_cast<double>(second) + 0.5);
    }

    Profile profile;
};

// 8, 6, 5 and 5 s outside MPI: 7, 5, 4 and 4 s of them below "solve".
inline Profile mpi_job() {
    JobBuilder job(4, 10);
    const auto main = job.path(0, "main", NodeKind::function, {1, 1, 1, 1});
    const auto solve = job.path(main, "solve", NodeKind::function, {1, 1, 1, 1});
    job.path(solve, "relax", NodeKind::function, {6, 4, 3, 3});
    job.path(solve, "MPI_Barrier", NodeKind::mpi, {0.5, 3.5, 3.5, 3.5});
    job.path(main, "MPI_Send", NodeKind::mpi, {1.5, 0.5, 1.5, 1.5});
    return job.profile;
}

inline Profile serial_job() {
    JobBuilder job(1, 20);
    const auto main = job.path(0, "main", NodeKind::function, {1});
    job.path(main, "relax", NodeKind::function, {19});
    return job.profile;
}

// Per rank 2 s in MPI, 1 s in main, 1 s in CUDA, and a parallel region of 6 s with 10 s of work.
inline Profile hybrid_job() {
    JobBuilder job(4, 10);
    const std::vector<double> one(4, 1), two(4, 2), ten(4, 10);
    const auto main = job.path(0, "main", NodeKind::function, one);
    const auto region = job.path(main, "omp parallel @a.c:1", NodeKind::openmp, {0, 0, 0, 0});
    job.path(region, "work", NodeKind::function, ten);
    job.path(region, "omp implicit barrier @a.c:1", NodeKind::openmp, two);
    job.path(main, "MPI_Allreduce", NodeKind::mpi, two);
    job.path(main, "cudaDeviceSynchronize", NodeKind::gpu, one);
    Profile& profile = job.profile;
    for (std::uint32_t rank = 0; rank < 4; rank++) {
        profile.threads.push_back(
            {rank, 0, "", main, false, 1, 0, 10 * second, 6 * second, 0, 10 * second});
        profile.threads.push_back(
            {rank, 1, "", 0, true, 1, 0, 6 * second, 6 * second, 2 * second, 10 * second});
    }
    profile.parallel_regions = {{region, 40, 8, 40 * second, 6 * second, 8 * second}};
    const auto gpu = [&](std::uint32_t rank, std::int64_t kernels, std::int64_t copies,
                         std::int64_t both) {
        profile.gpu_devices.push_back(
            {rank, 0, "GPU", kernels * second, copies * second, both * second, 9 * second});
    };
    gpu(0, 4, 2, 1);
    gpu(1, 3, 3, 0);
    gpu(2, 3, 0, 0);
    gpu(3, 2, 0, 0);
    return profile;
}

// The sums of the counts of all paths outside MPI; MPI functions have counts of a thousand.
inline void add_counters(Profile& profile, double instructions, double cycles, double seconds) {
    profile.metrics = {{"hwprof.ins"}, {"hwprof.cyc"}, {"hwprof.T", "ns"}};
    profile.run.counters = {{"instructions", "ins", 0}, {"cycles", "cyc", 1}};
    profile.run.counted_time_metric = 2;
    for (std::uint32_t i = 1; i < profile.paths.size(); i++) {
        const bool is_mpi = profile.functions[profile.paths[i].function].kind == NodeKind::mpi;
        if (i > 1 && !is_mpi)
            continue;
        profile.metric_values.push_back({i, 0, is_mpi ? 1000 : instructions});
        profile.metric_values.push_back({i, 1, is_mpi ? 1000 : cycles});
        profile.metric_values.push_back({i, 2, is_mpi ? 1000 : seconds * 1e9});
    }
}

}  // namespace vftrace::test
