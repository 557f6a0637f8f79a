// Threads and parallel regions in the JSON file of a profile: exact round trip, and wrong files.
#include <catch2/catch.hpp>

#include <limits>

#include "json_errors.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "thread_sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

void check_equal(const ThreadFigures& a, const ThreadFigures& b) {
    CHECK(a.rank == b.rank);
    CHECK(a.number == b.number);
    CHECK(a.name == b.name);
    CHECK(a.start == b.start);
    CHECK(a.openmp_worker == b.openmp_worker);
    CHECK(a.threads == b.threads);
    CHECK(a.calls == b.calls);
    CHECK(a.time_ns == b.time_ns);
    CHECK(a.parallel_ns == b.parallel_ns);
    CHECK(a.waiting_ns == b.waiting_ns);
    CHECK(a.lifetime_ns == b.lifetime_ns);
}

void check_same_after_reading(const Profile& a) {
    const std::string text = json_of(a);
    const Profile b = parse_profile_json(text);
    CHECK(json_of(b) == text);
    CHECK(a.run.ended == b.run.ended);
    CHECK(a.run.snapshot == b.run.snapshot);
    REQUIRE(a.functions.size() == b.functions.size());
    for (std::size_t i = 0; i < a.functions.size(); i++)
        CHECK(a.functions[i].kind == b.functions[i].kind);
    REQUIRE(a.threads.size() == b.threads.size());
    for (std::size_t i = 0; i < a.threads.size(); i++)
        check_equal(a.threads[i], b.threads[i]);
    REQUIRE(a.thread_paths.size() == b.thread_paths.size());
    for (std::size_t i = 0; i < a.thread_paths.size(); i++) {
        CHECK(a.thread_paths[i].thread == b.thread_paths[i].thread);
        CHECK(a.thread_paths[i].path == b.thread_paths[i].path);
        CHECK(a.thread_paths[i].calls == b.thread_paths[i].calls);
        CHECK(a.thread_paths[i].inclusive_ns == b.thread_paths[i].inclusive_ns);
        CHECK(a.thread_paths[i].exclusive_ns == b.thread_paths[i].exclusive_ns);
    }
    REQUIRE(a.parallel_regions.size() == b.parallel_regions.size());
    for (std::size_t i = 0; i < a.parallel_regions.size(); i++) {
        CHECK(a.parallel_regions[i].path == b.parallel_regions[i].path);
        CHECK(a.parallel_regions[i].entries == b.parallel_regions[i].entries);
        CHECK(a.parallel_regions[i].threads == b.parallel_regions[i].threads);
        CHECK(a.parallel_regions[i].busy_ns == b.parallel_regions[i].busy_ns);
        CHECK(a.parallel_regions[i].busy_max_ns == b.parallel_regions[i].busy_max_ns);
        CHECK(a.parallel_regions[i].waiting_ns == b.parallel_regions[i].waiting_ns);
    }
}

}  // namespace

TEST_CASE("threads and parallel regions are the same after writing and reading") {
    Profile profile = thread_sample_profile();
    check_same_after_reading(profile);
    profile.run.ranks = 0xffffffff;
    profile.run.ended = "signal 11 (\"SIGSEGV\")";
    profile.run.snapshot = true;
    profile.threads[5] = {0xfffffffe, 0xfffffffe, "na\"me\n", 7,       true, most,
                          most,       longest,    least,      longest, least};
    // The entry for what merging left out.
    profile.threads.push_back(
        {no_index, no_index, "", no_index, false, most, most, longest, 1, 2, 3});
    profile.thread_paths.back() = {6, 7, most, least, longest};
    profile.parallel_regions.push_back({7, most, most, longest, least, longest});
    check_same_after_reading(profile);
}

TEST_CASE("a profile without data about threads has none of their keys") {
    const std::string text = json_of(sample_profile());
    for (const char* key : {"\"threads\": [", "parallel_regions", "ended", "snapshot"})
        CHECK(text.find(key) == std::string::npos);
    const Profile read = parse_profile_json(text);
    CHECK(read.threads.empty());
    CHECK(read.parallel_regions.empty());
    CHECK(read.run.ended.empty());
    CHECK(!read.run.snapshot);
}

TEST_CASE("wrong threads and parallel regions are refused") {
    const std::string good = json_of(thread_sample_profile());
    REQUIRE(error_of(good) == "no error");
    auto error = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error("\"number\": 4, \"start\": 6", "\"number\": 4, \"start\": 8") ==
          "threads[4].start: must be at most 7");
    CHECK(error("{\"rank\": 0, \"number\": 4", "{\"rank\": 1, \"number\": 4") ==
          "threads[4].rank: must be at most 0");
    CHECK(error("\"number\": 4", "\"number\": 3") ==
          "threads[4]: must be sorted by rank and number");
    CHECK(error("\"nodes\": [[6, 1, ", "\"nodes\": [[8, 1, ") ==
          "threads[4].nodes: must name call paths in ascending order");
    CHECK(error("[2, 100, 1800000000, 10000000]", "[1, 100, 1800000000, 10000000]") ==
          "threads[0].nodes: must name call paths in ascending order");
    CHECK(error("[2, 100, 1800000000, 10000000]", "[2, 100, 1800000000]") ==
          "threads[0].nodes: must be arrays of four numbers");
    CHECK(error("[2, 100, 1800000000, 10000000]", "[2, -1, 1800000000, 10000000]") ==
          "threads[0].nodes: is out of range");
    CHECK(error("[2, 100, 1800000000, 10000000]", "7") ==
          "threads[0].nodes: must be arrays of four numbers");
    CHECK(error("\"parallel_regions\": [\n    {\"node\": 2",
                "\"parallel_regions\": [\n    {\"node\": 8") ==
          "parallel_regions[0].node: must be at most 7");
    CHECK(error("\"busy_max_ns\": 1700000000", "\"busy_max_ns\": \"long\"") ==
          "parallel_regions[0].busy_max_ns: must be an integer");
}
