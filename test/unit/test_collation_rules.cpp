// How individual figures are merged over ranks.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "collate/merge_details.hpp"
#include "collate/profile_merger.hpp"
#include "collation_job.hpp"
#include "notice_texts.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// The profile of a rank of a job in which main calls work.
RankProfile small_profile(std::uint32_t rank, std::int64_t work_ns) {
    RankProfile made(rank);
    std::uint32_t module = made.add_module("/home/user/program");
    std::uint32_t main = made.add_function("main", module, 0x100);
    std::uint32_t work = made.add_function("work", module, 0x200);
    made.add_path(made.add_path(0, main, 1, 2 * work_ns, work_ns), work, 1, work_ns, work_ns);
    return made;
}

std::vector<Profile> small_job(std::initializer_list<std::int64_t> work_ns) {
    std::vector<Profile> own;
    for (std::int64_t ns : work_ns)
        own.push_back(small_profile(static_cast<std::uint32_t>(own.size()), ns).profile);
    return own;
}

const RankSpread& spread_of(const Profile& job, const std::string& name) {
    return job.spread[static_cast<std::size_t>(&path_named(job, name) - job.paths.data())];
}

}  // namespace

TEST_CASE("the spread over ranks names the lowest rank of equal ones") {
    std::vector<Profile> own = small_job({5, 3, 9, 3, 9, 5});
    Profile job = collate(own).job;
    const RankSpread& spread = spread_of(job, "work<main<init");
    CHECK(spread.ranks == 6);
    CHECK(spread.min_ns == 3);
    CHECK(spread.min_rank == 1);
    CHECK(spread.max_ns == 9);
    CHECK(spread.max_rank == 2);
}

TEST_CASE("functions that another rank has filtered are folded into their callers") {
    std::vector<Profile> own = small_job({5, 7});
    // On rank 1, the hooks of `work` have been removed after two calls.
    RankProfile made(1);
    const std::uint32_t module = made.add_module("/home/user/program");
    made.add_path(0, made.add_function("main", module, 0x100), 1, 14, 14);
    const std::uint32_t work = made.add_function("work", module, 0x200);
    own[1] = made.profile;
    own[1].filtered = {{work, 2, 7, 3, 1000, FilterReason::budget, false}};
    for (bool reversed : {false, true}) {
        ProfileMerger merger;
        std::vector<std::uint32_t> path_of[2];
        for (std::uint32_t i : {0u, 1u}) {
            const std::uint32_t rank = reversed ? 1 - i : i;
            merger.add(encode_profile(own[rank], details_of(own[rank]), rank, false),
                       path_of[rank]);
        }
        const std::vector<std::uint32_t> folded = merger.fold_filtered();
        Profile job = merger.finish(own[0].run, 2);
        REQUIRE(job.paths.size() == 2);
        CHECK(job.functions[job.paths[1].function].name == "main");
        CHECK(job.paths[1].calls == 2);
        CHECK(job.paths[1].exclusive_ns == 5 + 5 + 14);
        CHECK(job.paths[1].inclusive_ns == 10 + 14);
        CHECK(folded[path_of[0][2]] == 1);
        REQUIRE(job.filtered.size() == 1);
        CHECK(job.filtered[0].calls == 3);
        CHECK(job.filtered[0].exclusive_ns == 12);
        CHECK(job.filtered[0].moment_ns == 1000);
    }
}

// Fault 11.2.7 of Vftrace 2.0: a path that rank 0 lacks got the minimum 0 on rank 0.
TEST_CASE("ranks that lack a path do not count in its spread") {
    std::vector<Profile> own = small_job({0, 4, 6});
    own[0] = RankProfile(0).profile;
    Profile job = collate(own).job;
    const RankSpread& spread = spread_of(job, "work<main<init");
    CHECK(spread.ranks == 2);
    CHECK(spread.min_rank == 1);
    CHECK(spread.min_ns == 4);
    CHECK(spread_of(job, "init").ranks == 3);
}

TEST_CASE("sums have 64 bits, and stay at the largest value where that is not enough") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<Profile> own = small_job({most / 2, most / 2, 5, 7});
    for (Profile& profile : own) {
        profile.paths[1].calls = 5'000'000'000;
        profile.run.memory_bytes = 3'000'000'000;
    }
    Profile job = collate(own).job;
    CHECK(path_named(job, "main<init").calls == 20'000'000'000);
    CHECK(job.run.memory_bytes == 12'000'000'000);
    CHECK(path_named(job, "work<main<init").exclusive_ns == most);
    CHECK(path_named(job, "work<main<init").inclusive_ns == most);

    std::int64_t lowest = std::numeric_limits<std::int64_t>::min() + 1;
    add_saturating(lowest, -5);
    CHECK(lowest == std::numeric_limits<std::int64_t>::min());
    std::uint64_t large = std::numeric_limits<std::uint64_t>::max() - 1;
    add_saturating(large, 5);
    CHECK(large == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("static functions with the same name stay separate, wherever the program lies") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        RankProfile made(rank);
        std::uint32_t module = made.add_module("/node" + std::to_string(rank) + "/program");
        // Found in a different order on each rank.
        for (std::uint64_t i = 0; i < 3; i++) {
            std::uint64_t which = (i + rank) % 3;
            std::uint32_t function = made.add_function("helper", module, 0x100 * which);
            made.add_path(0, function, 10 + which, 0, 0);
        }
        own.push_back(made.profile);
    }
    Profile job = collate(own).job;
    REQUIRE(job.functions.size() == 4);
    REQUIRE(job.paths.size() == 4);
    CHECK(job.modules.size() == 1);  // that of rank 0, which had all of the functions
    for (std::uint32_t i = 1; i < 4; i++)
        CHECK(job.paths[i].calls == 3 * (10 + job.functions[i].offset / 0x100));
    // All ranks agree on the numbers of three paths with one hash.
    for (const Profile& profile : own)
        for (std::uint32_t i = 1; i < 4; i++)
            CHECK(profile.paths[i].stid - job.paths[1].stid ==
                  profile.functions[profile.paths[i].function].offset / 0x100);
}

TEST_CASE("different programs of one job merge by name") {
    std::vector<Profile> own = small_job({4, 4});
    own[1].modules[0].path = "/home/user/another";
    own[1].functions[1].offset = 0x9999;
    own[1].functions[2].name = own[1].functions[2].symbol = "other work";
    Profile job = collate(own).job;
    CHECK(path_named(job, "main<init").calls == 2);
    CHECK(path_named(job, "work<main<init").calls == 1);
    CHECK(path_named(job, "other work<main<init").calls == 1);
    CHECK(job.functions[1].offset == 0x100);
    CHECK(job.functions[3].symbol == "other work");
    REQUIRE(job.modules.size() == 2);
    CHECK(job.modules[job.functions[3].module].path == "/home/user/another");
}

TEST_CASE("a region and a function with the same name stay separate") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 2; rank++) {
        RankProfile made(rank);
        NodeKind kind = rank == 0 ? NodeKind::function : NodeKind::region;
        made.add_path(0, made.add_function("solve", no_index, 0, kind), 1);
        own.push_back(made.profile);
    }
    Profile job = collate(own).job;
    CHECK(job.paths.size() == 3);
    CHECK(job.functions.size() == 3);
}

TEST_CASE("ranks that recorded nothing do not affect the others") {
    for (std::size_t silent = 0; silent < 4; silent++)
        for (bool off : {false, true}) {
            std::vector<Profile> own = small_job({7, 7, 7, 7});
            own[silent] = off ? Profile() : RankProfile(0).profile;
            Collated result = collate(own);
            CHECK(result.complete == std::vector<bool>(4, true));
            CHECK(path_named(result.job, "work<main<init").exclusive_ns == 21);
            CHECK(result.job.run.ranks == 4);
        }
    std::vector<Profile> nobody(3);
    CHECK(collate(nobody).job.paths.empty());
}

TEST_CASE("the run's information is that of rank 0, its sums are those of all") {
    std::vector<Profile> own = small_job({1, 2, 3});
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        RunInfo& run = own[rank].run;
        run.application = "program" + std::to_string(rank);
        run.config_text = "{}";
        run.runtime_ns = 100 + rank;
        run.threads = rank == 1 ? 8 : 2;
        run.memory_bytes = 1000;
        run.overhead = {{OverheadKind::function_hooks, 10 + rank}};
        run.uses_mpi = rank == 2;
    }
    own[2].run.overhead.insert(own[2].run.overhead.begin(), {OverheadKind::mpi_wrappers, 5});
    RunInfo run = collate(own).job.run;
    CHECK(run.application == "program0");
    CHECK(run.config_text == "{}");
    CHECK(run.runtime_ns == 100);
    CHECK(run.rank == 0);
    CHECK(run.ranks == 3);
    CHECK(run.threads == 8);
    CHECK(run.memory_bytes == 3000);
    CHECK(run.uses_mpi);
    REQUIRE(run.overhead.size() == 2);
    CHECK(run.overhead[0].kind == OverheadKind::function_hooks);
    CHECK(run.overhead[0].ns == 33);
    CHECK(run.overhead[1].kind == OverheadKind::mpi_wrappers);
    CHECK(run.overhead[1].ns == 5);
}

TEST_CASE("each warning is given once, with the number of ranks that have it") {
    std::vector<Profile> own = small_job({1, 2, 3, 4});
    for (std::size_t rank = 0; rank < 4; rank++) {
        own[rank].run.notices = {other_notice("All say this.")};
        if (rank % 2)
            own[rank].run.notices.push_back(other_notice("Some say this."));
    }
    own[2].run.notices.push_back(other_notice("One says this."));
    CHECK(texts_of(collate(own).job.run.notices) ==
          std::vector<std::string>{"All say this.", "Some say this. (on 2 ranks)",
                                   "One says this. (on rank 2)"});
    own.resize(1);
    CHECK(texts_of(collate(own).job.run.notices) == std::vector<std::string>{"All say this."});
}

TEST_CASE("a job in which every rank warns of something else stays readable") {
    std::vector<Profile> own = small_job({});
    for (std::uint32_t rank = 0; rank < 300; rank++) {
        own.push_back(small_profile(rank, 1).profile);
        own[rank].run.notices = {other_notice(std::to_string(rank) + " calls were lost.")};
    }
    const std::vector<std::string> warnings = texts_of(collate(own).job.run.notices);
    REQUIRE(warnings.size() == most_notices + 1);
    CHECK(warnings[0] == "0 calls were lost. (on rank 0)");
    CHECK(warnings[99] == "99 calls were lost. (on rank 99)");
    CHECK(warnings[100] == "200 more warnings of ranks were left out.");
}

TEST_CASE("a mean is that of the ranks that have the value") {
    std::vector<Profile> own = small_job({1, 1, 1, 1});
    for (Profile& profile : own)
        profile.metrics = {{"temperature", "K", Reduction::mean}};
    for (std::size_t rank : {1, 2, 3})
        own[rank].metric_values = {{1, 0, 300.0 + static_cast<double>(rank)}};
    Profile job = collate(own).job;
    REQUIRE(job.metric_values.size() == 1);
    CHECK(job.metric_values[0].value == 302.0);
}
