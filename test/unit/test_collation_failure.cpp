// If messages between ranks fail, every rank is informed or fails itself, and keeps its profile.
#include <catch2/catch.hpp>

#include <algorithm>

#include "collate/profile_merger.hpp"
#include "collation_job.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// What goes wrong in a job. The ranks share one count of sends and receives.
struct Accident {
    int operations_until = -1;  // this one fails, and all later ones of its rank
    bool at_all_ranks = false;  // and those of the others
    int operations = 0;
};

class UnreliableCommunicator final : public Communicator {
  public:
    UnreliableCommunicator(InProcessCommunicator& reliable, Accident& accident)
        : reliable_(reliable), accident_(accident) {}

    int rank() const override { return reliable_.rank(); }
    int size() const override { return reliable_.size(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        return works() && reliable_.send(to, data, bytes);
    }
    bool receive(int from, std::vector<char>& data) override {
        return works() && reliable_.receive(from, data);
    }

  private:
    bool works() {
        int operation = accident_.operations++;
        if (operation == accident_.operations_until ||
            (accident_.at_all_ranks && operation > accident_.operations_until))
            broken_ = true;
        return !broken_;
    }

    InProcessCommunicator& reliable_;
    Accident& accident_;
    bool broken_ = false;
};

// Changes the messages that one rank sends to another.
template <class Change>
class DamagingCommunicator final : public Communicator {
  public:
    DamagingCommunicator(InProcessCommunicator& sound, int from, int to, Change change)
        : sound_(sound), from_(from), to_(to), change_(change) {}

    int rank() const override { return sound_.rank(); }
    int size() const override { return sound_.size(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        const char* begin = static_cast<const char*>(data);
        std::vector<char> message(begin, begin + bytes);
        if (rank() == from_ && to == to_)
            change_(message);
        return sound_.send(to, message.data(), message.size());
    }
    bool receive(int from, std::vector<char>& data) override { return sound_.receive(from, data); }

  private:
    InProcessCommunicator& sound_;
    int from_, to_;
    Change change_;
};

std::vector<std::uint32_t> stids(const Profile& profile) {
    std::vector<std::uint32_t> result;
    for (const Path& path : profile.paths)
        result.push_back(path.stid);
    return result;
}

template <class Change>
Collated collate_damaged(std::vector<Profile>& own, int from, int to, Change change) {
    return collate_through(own, std::vector<bool>(own.size(), true), [&](auto& communicator) {
        return DamagingCommunicator(communicator, from, to, change);
    });
}

constexpr std::uint32_t unset = 4711;

std::vector<Profile> fresh_job(std::uint32_t ranks) {
    std::vector<Profile> own = random_profiles(ranks, 20);
    for (Profile& profile : own)
        for (Path& path : profile.paths)
            path.stid = unset;
    return own;
}

}  // namespace

TEST_CASE("if any send or receive fails, every rank has its own profile or the job's") {
    constexpr std::uint32_t ranks = 7;
    // Up: 6 sends and 6 receives; down the same.
    for (bool at_all_ranks : {false, true})
        for (int failing = 0; failing <= 24; failing++) {
            CAPTURE(failing, at_all_ranks);
            std::vector<Profile> own = fresh_job(ranks);
            Accident accident{failing, at_all_ranks};
            Collated result =
                collate_through(own, std::vector<bool>(ranks, true), [&](auto& communicator) {
                    return UnreliableCommunicator(communicator, accident);
                });
            if (failing == 24)
                CHECK(accident.operations == 24);
            bool gathered = failing >= 12;
            CHECK(result.complete[0] == gathered);
            CHECK(result.job.paths.empty() == !gathered);
            for (std::uint32_t rank = 0; rank < ranks; rank++) {
                if (!gathered)
                    CHECK_FALSE(result.complete[rank]);
                std::vector<std::uint32_t> numbers = stids(own[rank]);
                CHECK(std::count(numbers.begin(), numbers.end(), unset) ==
                      (result.complete[rank] ? 0 : static_cast<int>(numbers.size())));
            }
            bool all = std::count(result.complete.begin(), result.complete.end(), true) == ranks;
            CHECK(all == (failing == 24));
        }
}

TEST_CASE("a damaged message from one rank ends the collation at all of them") {
    for (auto [from, to] : {std::pair(1, 0), {3, 2}, {6, 4}, {7, 6}}) {
        std::vector<Profile> own = fresh_job(8);
        Collated result = collate_damaged(own, from, to, [](auto& message) { message.resize(50); });
        CHECK(result.complete == std::vector<bool>(8, false));
        CHECK(result.messages_waiting == 0);  // no rank is left waiting in a send
        CHECK(result.job.paths.empty());
    }
}

TEST_CASE("damaged numbers for a rank fail at that rank and below") {
    auto outcome = [](auto change) {
        std::vector<Profile> own = fresh_job(8);
        Collated result = collate_damaged(own, 0, 4, change);
        for (std::size_t rank = 4; rank < 8; rank++) {
            std::vector<std::uint32_t> numbers = stids(own[rank]);
            CHECK(std::count(numbers.begin(), numbers.end(), unset) ==
                  (result.complete[rank] ? 0 : static_cast<int>(numbers.size())));
        }
        return result.complete;
    };
    const std::vector<bool> below_fail = {true, true, true, true, false, false, false, false};
    std::size_t bytes = 0;
    CHECK(outcome([&](auto& message) { bytes = message.size(); }) == std::vector<bool>(8, true));
    REQUIRE(bytes > 100);
    for (std::size_t length = 0; length < bytes; length++)
        if (outcome([&](auto& message) { message.resize(length); }) != below_fail)
            FAIL("numbers cut to " << length << " bytes were taken for all of them");
    CHECK(outcome([](auto& message) { message.push_back(0); }) == below_fail);
    CHECK(outcome([](auto& message) { message[1] = static_cast<char>(message[1] + 1); }) ==
          below_fail);
}

TEST_CASE("ranks of one process do not wait for messages that were never sent") {
    InProcessJob job(2);
    InProcessCommunicator first(job, 0), second(job, 1);
    std::vector<char> data = {'x'};
    CHECK_FALSE(first.receive(1, data));
    CHECK_FALSE(first.receive(2, data));
    CHECK_FALSE(first.receive(-1, data));
    CHECK_FALSE(first.send(2, "a", 1));
    CHECK(second.send(0, "abc", 3));
    CHECK(second.send(0, nullptr, 0));
    CHECK(job.messages_waiting() == 2);
    CHECK(first.receive(1, data));
    CHECK(data == std::vector<char>{'a', 'b', 'c'});
    CHECK(first.receive(1, data));
    CHECK(data.empty());
    CHECK_FALSE(first.receive(1, data));
}
