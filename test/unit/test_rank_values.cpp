// Calls and exclusive time of the hottest paths on each rank of a job.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>

#include "collate/profile_merger.hpp"
#include "collate/rank_values.hpp"
#include "collation_job.hpp"
#include "json_errors.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::int64_t second = 1'000'000'000;

// Rank r computes for r + 1 seconds, in `odd` if r is odd, and calls a short function.
Profile rank_of_job(std::uint32_t rank, std::uint32_t ranks) {
    RankProfile made(rank);
    made.profile.run.ranks = ranks;
    if (rank % 2)
        made.add_function("of this rank alone");  // functions have other indices on other ranks
    const std::uint32_t main = made.add_path(0, made.add_function("main"), 1, 0, second);
    const std::uint32_t compute =
        made.add_function(rank % 2 ? "odd" : "even", no_index, 0, NodeKind::region);
    made.add_path(main, compute, 10 + rank, 0, second * (rank + 1));
    made.add_path(main, made.add_function("short"), 1, 0, 1000);
    made.profile.ranks = {{rank, "node", 1, 1, second, 0, 0, 0, 0}};
    return made.profile;
}

std::vector<Profile> job_of(std::uint32_t ranks) {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        own.push_back(rank_of_job(rank, ranks));
    return own;
}

// Values by the name of the path.
std::map<std::string, RankValues> values_of(const Profile& job) {
    std::map<std::string, RankValues> values;
    for (const RankValues& row : job.rank_values)
        values[path_name(job, row.path)] = row;
    return values;
}

// Fails after a number of operations, counted over all ranks.
class FailingCommunicator final : public Communicator {
  public:
    FailingCommunicator(InProcessCommunicator& sound, int& left) : sound_(sound), left_(left) {}
    int rank() const override { return sound_.rank(); }
    int size() const override { return sound_.size(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        return works() && sound_.send(to, data, bytes);
    }
    bool receive(int from, std::vector<char>& data) override {
        return works() && sound_.receive(from, data);
    }

  private:
    bool works() {
        broken_ = broken_ || left_-- == 0;
        return !broken_;
    }
    InProcessCommunicator& sound_;
    int& left_;
    bool broken_ = false;
};

const auto unchanged = [](InProcessCommunicator& communicator) { return communicator; };

Collated collate_values(std::vector<Profile>& own, std::uint32_t most_ranks,
                        bool need_stids = false) {
    return collate_through(own, std::vector<bool>(own.size(), need_stids), unchanged, most_ranks);
}

}  // namespace

TEST_CASE("each rank's calls and times of the hot paths are in the profile of the job") {
    std::vector<Profile> own = job_of(5);
    const Collated collated = collate_values(own, 4096);
    CHECK(collated.messages_waiting == 0);
    const auto values = values_of(collated.job);
    REQUIRE(values.size() == 3);  // "short" has less than a thousandth of the time
    const RankValues& main = values.at("main<init");
    CHECK(main.calls == std::vector<std::uint64_t>{1, 1, 1, 1, 1});
    CHECK(main.exclusive_ns == std::vector<std::int64_t>(5, second));
    const RankValues& even = values.at("even<main<init");
    CHECK(even.calls == std::vector<std::uint64_t>{10, 0, 12, 0, 14});
    CHECK(even.exclusive_ns == std::vector<std::int64_t>{second, 0, 3 * second, 0, 5 * second});
    CHECK(values.at("odd<main<init").calls == std::vector<std::uint64_t>{0, 11, 0, 13, 0});
    // 1 s has 30 bits, 3 s 32, 5 s 33.
    std::vector<std::uint32_t> histogram(34, 0);
    histogram[0] = 2;
    histogram[30] = histogram[32] = histogram[33] = 1;
    CHECK(even.histogram == histogram);
}

TEST_CASE("in larger jobs there are only histograms") {
    for (const std::uint32_t ranks : {2u, 3u, 16u, 21u}) {
        CAPTURE(ranks);
        std::vector<Profile> own = job_of(ranks), again = own;
        const Profile distinguished = collate_values(own, ranks).job;
        const Profile counted = collate_values(again, ranks - 1).job;
        REQUIRE(counted.rank_values.size() == distinguished.rank_values.size());
        REQUIRE(counted.rank_values.size() == 3);
        for (std::size_t i = 0; i < counted.rank_values.size(); i++) {
            CHECK(counted.rank_values[i].path == distinguished.rank_values[i].path);
            CHECK(counted.rank_values[i].histogram == distinguished.rank_values[i].histogram);
            CHECK(counted.rank_values[i].calls.empty());
            CHECK(distinguished.rank_values[i].exclusive_ns.size() == ranks);
        }
    }
}

TEST_CASE("values by rank add up to those of the paths, whatever the ranks' trees look like") {
    for (const std::uint32_t ranks : {2u, 3u, 7u, 16u, 33u})
        for (const bool need_stids : {false, true}) {
            CAPTURE(ranks);
            std::vector<Profile> own = random_profiles(ranks, 5);
            for (Profile& profile : own)
                for (Path& path : profile.paths)
                    path.calls %= 1000;  // sums stay below their largest value
            const Collated collated = collate_values(own, 4096, need_stids);
            CHECK(collated.messages_waiting == 0);
            CHECK(!collated.job.rank_values.empty());
            for (const RankValues& row : collated.job.rank_values) {
                const Path& path = collated.job.paths[row.path];
                CHECK(std::accumulate(row.calls.begin(), row.calls.end(), std::uint64_t{0}) ==
                      path.calls);
                CHECK(std::accumulate(row.exclusive_ns.begin(), row.exclusive_ns.end(),
                                      std::int64_t{0}) == path.exclusive_ns);
                CHECK(std::accumulate(row.histogram.begin(), row.histogram.end(), 0u) == ranks);
            }
        }
}

TEST_CASE("tools that read all profiles find the same values") {
    std::vector<Profile> own = job_of(6);
    Profile job = collate_values(own, 4096).job;
    const auto expected = values_of(job);
    ProfileMerger merger;
    std::vector<std::vector<std::uint32_t>> path_of(own.size());
    for (std::uint32_t rank = 0; rank < own.size(); rank++)
        REQUIRE(
            merger.add(encode_profile(own[rank], details_of(own[rank]), rank, false), path_of[rank])
                .ok);
    Profile merged = merger.finish(own.front().run, 6);
    std::vector<ProfileOfRank> ranks;
    for (std::size_t i = 0; i < own.size(); i++)
        ranks.push_back({own[i], path_of[i]});
    add_rank_values(merged, ranks, 4096);
    const auto found = values_of(merged);
    REQUIRE(found.size() == expected.size());
    for (const auto& [name, row] : expected) {
        CHECK(found.at(name).calls == row.calls);
        CHECK(found.at(name).exclusive_ns == row.exclusive_ns);
        CHECK(found.at(name).histogram == row.histogram);
    }
    own[3].ranks.push_back(own[3].ranks[0]);  // a profile of two ranks
    add_rank_values(merged, ranks, 4096);
    CHECK(merged.rank_values.empty());
}

TEST_CASE("pauses and jobs of one rank have no values by rank") {
    std::vector<Profile> own = job_of(1);
    CHECK(collate_values(own, 4096).job.rank_values.empty());
    own = job_of(2);
    for (Profile& profile : own)
        for (Path& path : profile.paths)
            if (profile.functions[path.function].name == "main")
                path.flags |= path_paused;
    const auto values = values_of(collate_values(own, 4096).job);
    CHECK(values.size() == 2);
    CHECK(values.count("main<init") == 0);
}

TEST_CASE("rank 0 never has more values than fit") {
    RankProfile made(0);
    for (std::uint32_t i = 0; i < 900; i++)
        made.add_path(0, made.add_function("f" + std::to_string(i)), 1, 0, second + i);
    const Profile& job = made.profile;
    CHECK(paths_with_values(job, RankValueForm::values, 4096).size() == 900);
    CHECK(paths_with_values(job, RankValueForm::histograms, 1'000'000).size() == 900);
    const std::vector<std::uint32_t> few = paths_with_values(job, RankValueForm::values, 1 << 20);
    CHECK(few == std::vector<std::uint32_t>{897, 898, 899, 900});  // those with the most time
    CHECK(paths_with_values(job, RankValueForm::none, 8).empty());
}

TEST_CASE("values are complete or absent if any send or receive fails") {
    constexpr std::uint32_t ranks = 7;
    constexpr int operations = 36;  // three passes of 6 sends and 6 receives each
    for (int failing = 0; failing <= operations; failing++) {
        CAPTURE(failing);
        std::vector<Profile> own = job_of(ranks);
        int left = failing;
        const Collated collated = collate_through(
            own, std::vector<bool>(ranks, true),
            [&](auto& communicator) { return FailingCommunicator(communicator, left); }, 4096u);
        CHECK(collated.job.rank_values.size() == (failing == operations ? 3 : 0));
        for (const RankValues& row : collated.job.rank_values)
            CHECK(row.calls.size() == ranks);
    }
}

TEST_CASE("damaged messages with values are refused") {
    const RankValue values[] = {{3, 500}, {0, 0}};
    const std::uint32_t paths[] = {0, 1};
    for (const RankValueForm form : {RankValueForm::values, RankValueForm::histograms}) {
        const auto message = [&](std::uint32_t rank) {
            RankValueSum of_rank(form, 2);
            of_rank.add(rank, values);
            return of_rank.encode();
        };
        const auto finished = [&](const std::vector<std::vector<char>>& messages) {
            Profile job;
            RankValueSum sum(form, 2);
            for (const std::vector<char>& each : messages)
                if (!sum.add(each))
                    return false;
            return sum.finish(job, paths, 2, 2) && job.rank_values.size() == 2;
        };
        CHECK(finished({message(0), message(1)}));
        CHECK_FALSE(finished({message(0)}));
        CHECK_FALSE(finished({message(0), {}}));
        for (std::size_t length = 0; length < message(1).size(); length++) {
            std::vector<char> cut = message(1);
            cut.resize(length);
            CHECK_FALSE(finished({message(0), cut}));
        }
        if (form == RankValueForm::values) {
            CHECK_FALSE(finished({message(0), message(0)}));
            CHECK_FALSE(finished({message(0), message(2)}));
        }
    }
}

TEST_CASE("values by rank are the same after writing and reading, and checked") {
    std::vector<Profile> own = job_of(3);
    Profile job = collate_values(own, 4096).job;
    for (Path& path : job.paths)
        path.inclusive_ns = std::max(path.inclusive_ns, path.exclusive_ns);
    const std::string text = json_of(job);
    const Profile read = parse_profile_json(text);
    REQUIRE(read.rank_values.size() == 3);
    for (std::size_t i = 0; i < 3; i++) {
        CHECK(read.rank_values[i].path == job.rank_values[i].path);
        CHECK(read.rank_values[i].calls == job.rank_values[i].calls);
        CHECK(read.rank_values[i].exclusive_ns == job.rank_values[i].exclusive_ns);
        CHECK(read.rank_values[i].histogram == job.rank_values[i].histogram);
    }
    const auto error = [&](const char* what, const char* by) {
        return error_of(replaced(text, what, by));
    };
    CHECK(error("\"calls\": [1, 1, 1]", "\"calls\": [1, 1]") ==
          "rank_values[0].calls: must have a number for each rank");
    CHECK(error("\"calls\": [1, 1, 1], ", "") ==
          "rank_values[0].calls: must be present if exclusive_ns is");
    CHECK(error("\"histogram\": [[536870912, 3]]", "\"histogram\": [[536870913, 3]]") ==
          "rank_values[0].histogram: must have ascending times, each 0 or a power of two");
    CHECK(error("\"histogram\": [[536870912, 3]]", "\"histogram\": [[536870912, 4]]") ==
          "rank_values[0].histogram: must not have more ranks than the run");
    CHECK(error("\"histogram\": [[536870912, 3]]", "\"histogram\": [536870912]") ==
          "rank_values[0].histogram: must be pairs of a time and a number of ranks");
}
