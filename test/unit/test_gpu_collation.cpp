// How GPUs are merged over ranks and runs.
#include <catch2/catch.hpp>

#include <limits>

#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "gpu_sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::uint64_t launch_id = gpu_call_id(GpuApi::runtime, 211);

// A rank with two GPUs that launches a kernel and copies; the order of functions differs.
RankProfile rank_with_gpus(std::uint32_t rank, std::uint64_t launches) {
    RankProfile made(rank);
    Profile& profile = made.profile;
    std::uint32_t kernel = 0, copy = 0;
    if (rank % 2)
        copy = made.add_function("cudaMemcpy", no_index, gpu_call_id(GpuApi::runtime, 31),
                                 NodeKind::gpu);
    const std::uint32_t main = made.add_function("main");
    kernel = made.add_function("_Z4workv", no_index, launch_id, NodeKind::gpu);
    if (rank % 2 == 0)
        copy = made.add_function("cudaMemcpy", no_index, gpu_call_id(GpuApi::runtime, 31),
                                 NodeKind::gpu);
    const std::uint32_t of_graph = made.add_function("_Z5otherv", no_index, 0, NodeKind::gpu);
    const std::uint32_t main_path = made.add_path(0, main, 1);
    const std::uint32_t kernel_path = made.add_path(main_path, kernel, launches);
    const std::uint32_t copy_path = made.add_path(main_path, copy, 2);
    profile.gpu_functions = {{gpu_call_id(GpuApi::runtime, 31), "cudaMemcpy"},
                             {launch_id, "cudaLaunchKernel"}};
    profile.gpu_work = {
        {0, of_graph, GpuWork::kernel, 1, 7, 7, 7, 0, 0, 0},
        {kernel_path, kernel, GpuWork::kernel, launches, 100, 5 + rank, 50 + rank, 0, launches, 9},
        {copy_path, no_index, GpuWork::host_to_device, 2, 20, 9, 11, 4096, 1, 3}};
    for (std::uint32_t device = 0; device < 2; device++) {
        profile.gpu_streams.push_back({rank, device, 1, 7, launches, 2, 4096, 100, 20, 500});
        profile.gpu_devices.push_back({rank, device, "NVIDIA H200", 100, 20, 10, 500});
    }
    profile.run.visible_gpus = "0,1";
    return made;
}

std::vector<Profile> job_with_gpus(std::uint32_t ranks) {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        own.push_back(rank_with_gpus(rank, 10 + rank).profile);
    return own;
}

const PathGpuWork& work_of(const Profile& profile, const std::string& path, GpuWork kind) {
    for (const PathGpuWork& work : profile.gpu_work)
        if (path_name(profile, work.path) == path && work.work == kind)
            return work;
    throw std::runtime_error("there is no work of " + path);
}

}  // namespace

TEST_CASE("work of one path is added up over ranks, GPUs and streams stay") {
    std::vector<Profile> own = job_with_gpus(5);
    const Profile job = collate(own).job;
    REQUIRE(job.gpu_work.size() == 3);
    const PathGpuWork& kernel = work_of(job, "_Z4workv<main<init", GpuWork::kernel);
    CHECK(job.functions[kernel.function].name == "_Z4workv");
    CHECK(job.functions[kernel.function].offset == launch_id);
    CHECK(kernel.count == 60);
    CHECK(kernel.ns == 500);
    CHECK(kernel.shortest_ns == 5);
    CHECK(kernel.longest_ns == 54);
    CHECK(kernel.timely == 60);
    CHECK(kernel.waited_ns == 45);
    CHECK(kernel.by_rank.ranks == 5);
    CHECK(kernel.by_rank.fewest == 10);
    CHECK(kernel.by_rank.most == 14);
    const PathGpuWork& copy = work_of(job, "cudaMemcpy<main<init", GpuWork::host_to_device);
    CHECK(copy.function == no_index);
    CHECK(copy.bytes == 5 * 4096);
    const PathGpuWork& unknown = work_of(job, "init", GpuWork::kernel);
    CHECK(job.functions[unknown.function].name == "_Z5otherv");
    CHECK(unknown.count == 5);
    REQUIRE(job.gpu_streams.size() == 10);
    REQUIRE(job.gpu_devices.size() == 10);
    for (std::uint32_t i = 0; i < 10; i++) {
        CHECK(job.gpu_streams[i].rank == i / 2);
        CHECK(job.gpu_streams[i].device == i % 2);
        CHECK(job.gpu_streams[i].kernels == 10 + i / 2);
        CHECK(job.gpu_devices[i].rank == i / 2);
        CHECK(job.gpu_devices[i].number == i % 2);
        CHECK(job.gpu_devices[i].overlap_ns == 10);
        CHECK(job.gpu_devices[i].name == "NVIDIA H200");
    }
    REQUIRE(job.gpu_functions.size() == 2);
    CHECK(job.gpu_functions[1].name == "cudaLaunchKernel");
    CHECK(job.run.visible_gpus == "0,1");
}

TEST_CASE("ranks without GPUs or with different ones do not change those of other ranks") {
    std::vector<Profile> own;
    own.push_back(RankProfile(0).profile);
    own.push_back(rank_with_gpus(1, 1).profile);
    own.push_back(rank_with_gpus(2, 2).profile);
    own[2].run.visible_gpus = "2";
    const Profile job = collate(own).job;
    CHECK(job.gpu_devices.size() == 4);
    CHECK(work_of(job, "_Z4workv<main<init", GpuWork::kernel).by_rank.ranks == 2);
    CHECK(job.run.visible_gpus == "not the same on all ranks");
}

TEST_CASE("a kernel that is launched by different functions has a path for each") {
    std::vector<Profile> own = job_with_gpus(3);
    for (Function& function : own[1].functions)
        if (function.name == "_Z4workv")
            function.offset = gpu_call_id(GpuApi::driver, 307);
    const Profile job = collate(own).job;
    std::vector<std::uint64_t> counts;
    for (const PathGpuWork& work : job.gpu_work)
        if (path_name(job, work.path) == "_Z4workv<main<init")
            counts.push_back(work.count);
    CHECK(counts == std::vector<std::uint64_t>{10 + 12, 11});
}

TEST_CASE("calls and work below a function filtered on another rank belong to its caller") {
    std::vector<Profile> own = job_with_gpus(2);
    // On rank 0 main itself is filtered: what it calls is called by init.
    FilteredFunction filtered;
    for (std::uint32_t i = 0; i < own[0].functions.size(); i++)
        if (own[0].functions[i].name == "main")
            filtered.function = i;
    own[0].filtered = {filtered};
    for (Path& path : own[0].paths)
        if (path.parent == 1)
            path.parent = 0;
    own[0].paths.erase(own[0].paths.begin() + 1);
    for (PathGpuWork& work : own[0].gpu_work)
        work.path -= work.path > 0;
    const Profile job = collate(own).job;
    const PathGpuWork& kernel = work_of(job, "_Z4workv<init", GpuWork::kernel);
    CHECK(kernel.count == 21);
    CHECK(kernel.by_rank.ranks == 2);
}

TEST_CASE("the busiest of very many streams are kept, whatever the order of merging") {
    for (std::uint32_t ranks : {1u, 2u, 7u}) {
        std::vector<Profile> own;
        for (std::uint32_t rank = 0; rank < ranks; rank++) {
            RankProfile made(rank);
            for (std::uint32_t i = 0; i < 600; i++)
                made.profile.gpu_streams.push_back(
                    {rank, 0, 1, i, 1, 1, 8, static_cast<std::int64_t>(i), 1, 1000});
            own.push_back(made.profile);
        }
        const Profile job = collate(own).job;
        const std::size_t all = 600 * ranks;
        REQUIRE(job.gpu_streams.size() == (all > 1000 ? 1001 : all));
        std::uint64_t kernels = 0;
        for (const GpuStreamFigures& stream : job.gpu_streams)
            kernels += stream.kernels;
        CHECK(kernels == all);
        if (all <= 1000)
            continue;
        const GpuStreamFigures& rest = job.gpu_streams.back();
        CHECK(rest.stream == no_index);
        CHECK(rest.rank == no_index);
        CHECK(rest.kernels == all - 1000);
        CHECK(rest.bytes == 8 * (all - 1000));
        for (std::size_t i = 0; i < 1000; i++)
            CHECK(job.gpu_streams[i].stream >= 600 - (1000 + ranks - 1) / ranks);
    }
}

TEST_CASE("runs with GPUs become their sum or mean, each GPU once") {
    const Profile run = gpu_sample_profile();
    const Profile sum = merge_runs({run, run}, {"x", "y"}, RunReduction::sum);
    REQUIRE(sum.gpu_work.size() == run.gpu_work.size());
    REQUIRE(sum.gpu_devices.size() == 2);
    REQUIRE(sum.gpu_streams.size() == 3);
    CHECK(sum.gpu_devices[0].kernel_ns == 2 * run.gpu_devices[0].kernel_ns);
    CHECK(sum.gpu_streams[1].bytes == 2 * run.gpu_streams[1].bytes);
    CHECK(sum.gpu_work[4].count == 2'000);
    CHECK(sum.gpu_work[4].longest_ns == run.gpu_work[4].longest_ns);
    CHECK(sum.gpu_work[4].by_rank.ranks == 0);
    CHECK(sum.run.visible_gpus == "0,3");
    const Profile mean = merge_runs({run, run}, {"x", "y"}, RunReduction::mean);
    for (std::size_t i = 0; i < run.gpu_work.size(); i++) {
        CHECK(mean.gpu_work[i].count == run.gpu_work[i].count);
        CHECK(mean.gpu_work[i].ns == run.gpu_work[i].ns);
        CHECK(mean.gpu_work[i].bytes == run.gpu_work[i].bytes);
        CHECK(mean.gpu_work[i].waited_ns == run.gpu_work[i].waited_ns);
    }
    CHECK(mean.gpu_devices[0].overlap_ns == run.gpu_devices[0].overlap_ns);
    CHECK(mean.gpu_streams[0].span_ns == run.gpu_streams[0].span_ns);
}

TEST_CASE("sums of GPUs stay at the largest value where 64 bits are not enough") {
    std::vector<Profile> own = job_with_gpus(2);
    for (Profile& profile : own)
        for (PathGpuWork& work : profile.gpu_work) {
            work.ns = std::numeric_limits<std::int64_t>::max();
            work.bytes = std::numeric_limits<std::uint64_t>::max();
        }
    const Profile job = collate(own).job;
    for (const PathGpuWork& work : job.gpu_work) {
        CHECK(work.ns == std::numeric_limits<std::int64_t>::max());
        CHECK(work.bytes == std::numeric_limits<std::uint64_t>::max());
    }
}
