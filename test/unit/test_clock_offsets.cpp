// Offsets between the clocks of ranks: threads that communicate with each other, each with a
// different clock error.
#include <catch2/catch.hpp>

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "collate/clock_offsets.hpp"

using namespace vftrace;

namespace {

// Messages between ranks that run at the same time.
class Mailboxes {
  public:
    explicit Mailboxes(int ranks)
        : ranks_(ranks), boxes_(static_cast<std::size_t>(ranks * ranks)) {}
    int ranks() const { return ranks_; }

    void put(int from, int to, std::vector<char> message) {
        std::lock_guard guard(lock_);
        box(from, to).push_back(std::move(message));
        messages_++;
        changed_.notify_all();
    }
    std::vector<char> take(int from, int to) {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [&] { return !box(from, to).empty(); });
        std::vector<char> message = std::move(box(from, to).front());
        box(from, to).pop_front();
        return message;
    }
    bool empty() const {
        for (const auto& box : boxes_)
            if (!box.empty())
                return false;
        return true;
    }
    int messages() const { return messages_; }

  private:
    std::deque<std::vector<char>>& box(int from, int to) {
        return boxes_[static_cast<std::size_t>(from * ranks_ + to)];
    }
    int ranks_;
    int messages_ = 0;
    std::vector<std::deque<std::vector<char>>> boxes_;
    std::mutex lock_;
    std::condition_variable changed_;
};

class ThreadCommunicator final : public Communicator {
  public:
    ThreadCommunicator(Mailboxes& boxes, int rank) : boxes_(boxes), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return boxes_.ranks(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        if (to == broken_)
            return false;
        auto begin = static_cast<const char*>(data);
        boxes_.put(rank_, to, {begin, begin + bytes});
        return true;
    }
    bool receive(int from, std::vector<char>& data) override {
        data = boxes_.take(from, rank_);
        return true;
    }
    void break_sending_to(int rank) { broken_ = rank; }

  private:
    Mailboxes& boxes_;
    int rank_, broken_ = -1;
};

struct Rank {
    std::int64_t wrong_by;
    std::uint64_t host;
    TreeNeighbours neighbours = {};
    TraceClocks::Reading reading = {};
};

std::uint64_t read_wrong_clock(const void* wrong_by) {
    return monotonic_ns() + static_cast<std::uint64_t>(*static_cast<const std::int64_t*>(wrong_by));
}

// Returns how many messages it took.
int measure_all(std::vector<Rank>& ranks) {
    Mailboxes boxes(static_cast<int>(ranks.size()));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks.size(); i++)
        threads.emplace_back([&, i] {
            ThreadCommunicator communicator(boxes, static_cast<int>(i));
            Rank& rank = ranks[i];
            rank.reading = measure_clock(
                communicator, {read_wrong_clock, &rank.wrong_by, rank.host}, rank.neighbours);
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(boxes.empty());
    return boxes.messages();
}

// Each rank is on its own host, whose clock is off by up to several days.
std::vector<Rank> scattered_ranks(int count) {
    std::vector<Rank> ranks;
    for (int i = 0; i < count; i++)
        ranks.push_back({i * 86'400'000'000'007 * (i % 2 ? -1 : 1), std::uint64_t(i + 100)});
    return ranks;
}

void check_reading(const Rank& rank, const Rank& root) {
    REQUIRE(rank.reading.measured == 1);
    const std::int64_t truth = root.wrong_by - rank.wrong_by;
    CHECK(std::abs(rank.reading.offset_ns - truth) <= rank.reading.error_ns);
    CHECK(rank.reading.error_ns < 1'000'000'000);
    // The moment is on the rank's own clock, and not long ago.
    const auto now = static_cast<std::int64_t>(read_wrong_clock(&rank.wrong_by));
    const auto then = static_cast<std::int64_t>(rank.reading.ns);
    CHECK(then <= now);
    CHECK(now - then < 60'000'000'000);
}

}  // namespace

TEST_CASE("Offsets of clocks are found within the reported error", "[clock_offsets]") {
    for (int count : {1, 2, 3, 4, 7, 17}) {
        std::vector<Rank> ranks = scattered_ranks(count);
        measure_all(ranks);
        INFO(count << " ranks");
        for (const Rank& rank : ranks)
            check_reading(rank, ranks[0]);
        CHECK(ranks[0].reading.offset_ns == 0);
        CHECK(ranks[0].reading.error_ns == 0);
    }
}

TEST_CASE("Ranks on the host of rank 0 have its clock exactly", "[clock_offsets]") {
    std::vector<Rank> ranks = scattered_ranks(7);
    for (int i : {2, 3, 5}) {  // 3 is below 1, which is elsewhere
        ranks[static_cast<std::size_t>(i)].host = ranks[0].host;
        ranks[static_cast<std::size_t>(i)].wrong_by = ranks[0].wrong_by;
    }
    measure_all(ranks);
    for (int i : {0, 2, 3, 5}) {
        const TraceClocks::Reading& reading = ranks[static_cast<std::size_t>(i)].reading;
        CHECK(reading.measured == 1);
        CHECK(reading.offset_ns == 0);
        CHECK(reading.error_ns == 0);
    }
    for (const Rank& rank : ranks)
        check_reading(rank, ranks[0]);
}

TEST_CASE("Ranks on one other host have the same offset", "[clock_offsets]") {
    std::vector<Rank> ranks = scattered_ranks(4);
    ranks[3].host = ranks[1].host;
    ranks[3].wrong_by = ranks[1].wrong_by;
    measure_all(ranks);
    CHECK(ranks[3].reading.offset_ns == ranks[1].reading.offset_ns);
    CHECK(ranks[3].reading.error_ns == ranks[1].reading.error_ns);
    CHECK(ranks[3].reading.error_ns > 0);
}

TEST_CASE("One clock for all takes one question per rank", "[clock_offsets]") {
    std::vector<Rank> ranks(8, Rank{0, 1});
    // Three messages per pair: a question, its answer and the end.
    CHECK(measure_all(ranks) == 7 * 3);
}

TEST_CASE("Nothing is measured below a missing rank", "[clock_offsets]") {
    std::vector<Rank> ranks = scattered_ranks(8);
    // Rank 1 does not take part, so neither rank 0 nor its children 3 and 4 wait for it.
    ranks[0].neighbours.children[0] = false;
    ranks[1].neighbours = {false, {false, false}};
    ranks[3].neighbours.parent = ranks[4].neighbours.parent = false;
    measure_all(ranks);
    for (int i : {1, 3, 4, 7})  // 7 is below 3
        CHECK(ranks[static_cast<std::size_t>(i)].reading.measured == 0);
    for (int i : {0, 2, 5, 6})
        check_reading(ranks[static_cast<std::size_t>(i)], ranks[0]);
}

TEST_CASE("A rank that cannot ask does not get an offset", "[clock_offsets]") {
    Mailboxes boxes(2);
    ThreadCommunicator communicator(boxes, 1);
    communicator.break_sending_to(0);
    TraceClocks::Reading reading = measure_clock(communicator, host_clock());
    CHECK(reading.measured == 0);
    CHECK(reading.offset_ns == 0);
}

TEST_CASE("The clock of this host is identified consistently and advances", "[clock_offsets]") {
    RankClock first = host_clock(), second = host_clock();
    CHECK(first.identity == second.identity);
    CHECK(first.identity != 0);
    std::uint64_t begin = first.read_ns(first.clock);
    CHECK(begin <= second.read_ns(second.clock));
    CHECK(begin <= monotonic_ns());
}
