// Messages of several chunks and threads, merged in the order of their starts; collectives.
#include <catch2/catch.hpp>

#include <random>

#include "converted_trace.hpp"
#include "mpi/messages.hpp"
#include "vfd/message_merge.hpp"
#include "vfd/message_sample.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Lines = std::vector<std::string>;

MessageRecord message(std::uint64_t start, std::uint64_t end, std::int32_t peer) {
    MessageRecord record{};
    record.start = start;
    record.end = end;
    record.node = 1;
    record.peer = peer;
    record.count = 1;
    record.type_bytes = 8;
    return record;
}

FanRecord fan(std::uint64_t start, std::uint32_t communicator, std::uint16_t flags = 0) {
    FanRecord record{};
    record.start = start;
    record.end = start + 10;
    record.node = 1;
    record.communicator = communicator;
    record.count = 3;
    record.type_bytes = 4;
    record.datatype = 2;
    record.flags = flags;
    return record;
}

CommunicatorRecord members(std::uint32_t id, std::uint32_t first = 0) {
    CommunicatorRecord record{};
    record.id = id;
    record.first = first;
    return record;
}

struct Merge {
    explicit Merge(const TraceFileBuilder& trace, std::int32_t own_rank = 0) {
        trace.write(folder.trace());
        REQUIRE(file.open(folder.trace()));
        MessageMerge merge(file, own_rank);
        while (const TracedMessage* next = merge.peek()) {
            REQUIRE(merge.peek() == next);
            lines.push_back(std::to_string(next->start) + (next->received ? " from " : " to ") +
                            std::to_string(next->peer) + " " + std::to_string(next->count) + "x" +
                            std::to_string(next->type_bytes) + " thread " +
                            std::to_string(next->thread));
            merge.advance();
        }
    }
    TemporaryFolder folder;
    TraceFileReader file;
    Lines lines;
};

}  // namespace

TEST_CASE("messages of chunks that overlap") {
    TraceFileBuilder trace;
    EventWords first, second, third;
    // In the order of completion. The record's thread is the one that made the call.
    first.message(0, message(50, 60, 1)).message(0, message(10, 70, 2));
    second.message(1, message(40, 90, 3)).message(0, message(50, 55, 4));
    third.message(0, message(80, 90, 5)).message(0, message(20, 95, 6));
    trace.add_events(0, first);
    trace.add_events(1, second);
    trace.add_events(0, third);
    const Merge merge(trace);
    CHECK(merge.lines == Lines{"10 to 2 1x8 thread 0", "20 to 6 1x8 thread 0",
                               "40 to 3 1x8 thread 1", "50 to 1 1x8 thread 0",
                               "50 to 4 1x8 thread 0", "80 to 5 1x8 thread 0"});
    CHECK(merge.file.damaged_chunks() == 0);
}

TEST_CASE("headers that are wrong about their messages cost nothing") {
    TraceFileBuilder trace;
    EventWords first, second;
    first.message(0, message(50, 60, 1));
    second.message(0, message(10, 70, 2));
    first.messages = 2;
    first.first_message = 10;
    second.messages = 0;  // described in the previous chunk
    trace.add_events(0, first);
    trace.add_events(0, second);
    CHECK(Merge(trace).lines == Lines{"10 to 2 1x8 thread 0", "50 to 1 1x8 thread 0"});
}

TEST_CASE("collectives become one message per peer") {
    TraceFileBuilder trace;
    EventWords words, others;
    words.fan(0, fan(10, 7));  // its communicator is described by another thread
    words.fan(0, fan(20, 7, message_received | fan_skips_self));
    words.fan(0, fan(30, 7, fan_sources | message_received)).fan(0, fan(40, 7, fan_destinations));
    words.fan(0, fan(50, 8));  // of an unknown communicator
    words.message(0, message(15, 16, no_peer)).message(0, message(16, 17, unknown_peer));
    others.communicator(members(7), {4, 2, no_peer}).communicator(members(7, 3), {5});
    CommunicatorRecord sources = members(7), destinations = members(7);
    sources.list = PeerList::sources;
    destinations.list = PeerList::destinations;
    others.communicator(sources, {1, 1}).communicator(destinations, {});
    trace.add_events(0, words);
    trace.add_events(1, others);
    const Merge merge(trace, 2);
    CHECK(merge.lines == Lines{"10 to 4 3x4 thread 0", "10 to 2 3x4 thread 0",
                               "10 to 5 3x4 thread 0", "16 to -1 1x8 thread 0",
                               "20 from 4 3x4 thread 0", "20 from 5 3x4 thread 0",
                               "30 from 1 3x4 thread 0", "30 from 1 3x4 thread 0"});
    CHECK(merge.file.damaged_chunks() == 1);
}

TEST_CASE("collectives with a count for each peer, in pieces") {
    TraceFileBuilder trace;
    EventWords words;
    words.communicator(members(1), {0, 1, 2, 3});
    FanRecord first = fan(10, 1), second = first, beyond = first;
    second.first_peer = 2;
    beyond.first_peer = 3;
    words.fan_counts(0, first, {{11, 1, 0, 0}, {12, 2, 0, 0}});
    words.fan_counts(0, second, {{13, 4, 0, 0}, {14, 8, 0, 0}});
    words.fan_counts(0, first, {});
    trace.add_events(0, words);
    CHECK(Merge(trace).lines == Lines{"10 to 0 11x1 thread 0", "10 to 1 12x2 thread 0",
                                      "10 to 2 13x4 thread 0", "10 to 3 14x8 thread 0"});
    // More peers than the communicator has.
    TraceFileBuilder damaged;
    words.fan_counts(0, beyond, {{15, 1, 0, 0}, {16, 1, 0, 0}});
    beyond.first_peer = 0xffff'ffff;
    words.fan_counts(0, beyond, {{17, 1, 0, 0}});
    damaged.add_events(0, words);
    const Merge merge(damaged);
    CHECK(merge.lines.size() == 5);
    CHECK(merge.file.damaged_chunks() == 1);
}

TEST_CASE("nonsensical records are left out") {
    TraceFileBuilder trace;
    EventWords words;
    words.message(0, message(20, 10, 1));             // ends before it starts
    words.record(RecordKind::message, 0, {5, 6, 7});  // too short
    words.record(RecordKind::message, 0, {});         // empty
    words.record(RecordKind::fan, 0, {5});
    words.record(RecordKind::communicator, 0, {1, 2});
    CommunicatorRecord late = members(3, 10);  // its beginning is missing
    words.communicator(late, {1, 2}).fan(0, fan(30, 3));
    CommunicatorRecord large = members(4);
    words.communicator(large, {1, 2});
    large.count = 1000;
    words.record(RecordKind::communicator, 0, EventWords::content_of(large));
    words.message(0, message(40, 50, 1));
    words.record(static_cast<RecordKind>(40), 9, {1, 2, 3});  // of a later version
    trace.add_events(0, words);
    const Merge merge(trace);
    CHECK(merge.lines == Lines{"40 to 1 1x8 thread 0"});
    CHECK(merge.file.damaged_chunks() == 1);
}

TEST_CASE("many chunks are in order, and few of them in memory at a time") {
    TraceFileBuilder trace;
    std::mt19937 random(5);
    std::size_t messages = 0;
    for (std::uint64_t chunk = 0; chunk < 200; chunk++) {
        EventWords words;
        for (int i = 0; i < 50; i++, messages++) {
            const std::uint64_t start = 1000 * (chunk / 3) + random() % 2500;
            words.message(0, message(start, start + 5, static_cast<std::int32_t>(chunk)));
        }
        trace.add_events(static_cast<std::uint32_t>(chunk % 3), words);
    }
    const Merge merge(trace);
    CHECK(merge.lines.size() == messages);
    std::uint64_t last = 0;
    for (const std::string& line : merge.lines) {
        const std::uint64_t start = std::stoull(line);
        REQUIRE(start >= last);
        last = start;
    }
}

TEST_CASE("counts beyond 32 bits") {
    TracedMessage message{};
    const auto sample = [&](std::int64_t count, std::int32_t type_bytes) {
        message.count = count;
        message.type_bytes = type_bytes;
        const VfdMessageSample sample = message_sample(message, 0, 0, 1);
        return std::pair<std::int32_t, std::int32_t>(sample.count, sample.type_bytes);
    };
    using Pair = std::pair<std::int32_t, std::int32_t>;
    CHECK(sample(7, 4) == Pair(7, 4));
    CHECK(sample(2147483647, 1) == Pair(2147483647, 1));
    CHECK(sample(2147483648, 4) == Pair(1073741824, 8));
    CHECK(sample(3'000'000'003, 8) == Pair(1'000'000'001, 24));
    CHECK(sample(4'294'967'311, 1) == Pair(2147483647, 1));  // a prime
    CHECK(sample(8'000'000'000, 2147483647) == Pair(2147483647, 2147483647));
    CHECK(sample(-5, 4) == Pair(0, 4));
    CHECK(sample(std::numeric_limits<std::int64_t>::max(), 1).first == 2147483647);
}
