// How threads and parallel regions are merged over ranks.
#include <catch2/catch.hpp>

#include <limits>
#include <numeric>
#include <random>

#include "collate/list_collation.hpp"
#include "collation_job.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// A rank in which main has a parallel region and made threads.
RankProfile rank_with_threads(std::uint32_t rank, std::vector<std::int64_t> times) {
    RankProfile made(rank);
    const std::uint32_t module = made.add_module("/home/user/program");
    // Another order of paths on each rank.
    const std::uint32_t main = made.add_function("main", module, 0x100);
    const std::uint32_t region =
        made.add_function("omp parallel @a.c:1", no_index, 0, NodeKind::openmp);
    const std::uint32_t thread = made.add_function("[thread]", no_index, 0, NodeKind::thread);
    const std::uint32_t main_path = made.add_path(0, main, 1);
    std::uint32_t region_path, thread_path;
    if (rank % 2) {
        region_path = made.add_path(main_path, region, 1);
        thread_path = made.add_path(main_path, thread, 1);
    } else {
        thread_path = made.add_path(main_path, thread, 1);
        region_path = made.add_path(main_path, region, 1);
    }
    std::uint32_t number = 0;
    for (const std::int64_t time : times) {
        made.profile.threads.push_back({rank, number, "", number ? thread_path : main_path, false,
                                        1, 10, time, time / 2, time / 4, 2 * time});
        made.profile.thread_paths.push_back({number++, main_path, 1, time, time});
    }
    made.profile.parallel_regions = {{region_path, 2, times.size(), 100, 40 + rank, 7}};
    made.profile.run.threads = number;
    return made;
}

}  // namespace

TEST_CASE("threads of all ranks stay, their parallel regions are added up") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 5; rank++)
        own.push_back(rank_with_threads(rank, {1000 + rank, 500}).profile);
    own[2].threads[1].name = "output";
    own[2].threads[1].openmp_worker = true;
    const Profile job = collate(own).job;
    REQUIRE(job.threads.size() == 10);
    for (std::uint32_t i = 0; i < 10; i++) {
        const ThreadFigures& thread = job.threads[i];
        CHECK(thread.rank == i / 2);
        CHECK(thread.number == i % 2);
        CHECK(thread.name == (i == 5 ? "output" : ""));
        CHECK(thread.openmp_worker == (i == 5));
        CHECK(path_name(job, thread.start) == (i % 2 ? "[thread]<main<init" : "main<init"));
        CHECK(thread.time_ns == (i % 2 ? 500 : 1000 + i / 2));
        CHECK(thread.parallel_ns == thread.time_ns / 2);
        CHECK(thread.waiting_ns == thread.time_ns / 4);
        CHECK(thread.lifetime_ns == 2 * thread.time_ns);
        CHECK(thread.calls == 10);
    }
    CHECK(job.thread_paths.empty());
    REQUIRE(job.parallel_regions.size() == 1);
    const ParallelRegion& region = job.parallel_regions[0];
    CHECK(path_name(job, region.path) == "omp parallel @a.c:1<main<init");
    CHECK(region.entries == 10);
    CHECK(region.threads == 10);
    CHECK(region.busy_ns == 500);
    CHECK(region.busy_max_ns == 44);
    CHECK(region.waiting_ns == 35);
}

TEST_CASE("of very many threads those with the most time are kept, whatever the order of merging") {
    for (std::uint32_t ranks : {1u, 2u, 7u, 16u}) {
        std::vector<std::int64_t> times(3000);
        std::iota(times.begin(), times.end(), 0);
        std::mt19937 random(ranks);
        std::shuffle(times.begin(), times.end(), random);
        std::vector<std::vector<std::int64_t>> of_rank(ranks);
        for (std::size_t i = 0; i < times.size(); i++)
            of_rank[i % ranks].push_back(times[i]);
        std::vector<Profile> own;
        for (std::uint32_t rank = 0; rank < ranks; rank++)
            own.push_back(rank_with_threads(rank, of_rank[rank]).profile);
        const Profile job = collate(own).job;
        REQUIRE(job.threads.size() == most_rows + 1);
        for (std::size_t i = 0; i < most_rows; i++)
            CHECK(job.threads[i].time_ns >= 2000);
        const ThreadFigures& rest = job.threads.back();
        CHECK(rest.rank == no_index);
        CHECK(rest.number == no_index);
        CHECK(rest.start == no_index);
        CHECK(rest.name.empty());
        CHECK(rest.threads == 2000);
        CHECK(rest.calls == 20'000);
        CHECK(rest.time_ns == 1999 * 1000);
        CHECK(rest.lifetime_ns == 2 * 1999 * 1000);
    }
}

TEST_CASE("of threads with equal times those of the lowest ranks are kept") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 6; rank++)
        own.push_back(rank_with_threads(rank, std::vector<std::int64_t>(300, 5)).profile);
    const Profile job = collate(own).job;
    REQUIRE(job.threads.size() == most_rows + 1);
    CHECK(job.threads[999].rank == 3);
    CHECK(job.threads[999].number == 99);
    CHECK(job.threads.back().threads == 800);
}

TEST_CASE("figures of threads stay at the largest value") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        own.push_back(
            rank_with_threads(rank, std::vector<std::int64_t>(600, most / 2 - rank)).profile);
        own.back().parallel_regions[0].busy_ns = most / 2;
    }
    const Profile job = collate(own).job;
    CHECK(job.threads.back().time_ns == most);
    CHECK(job.parallel_regions[0].busy_ns == most);
}
