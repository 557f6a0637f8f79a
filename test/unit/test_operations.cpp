// From records of messages and collectives to the operations of MPI in a vfd file.
#include <catch2/catch.hpp>

#include "converted_trace.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Lines = std::vector<std::string>;

MessageRecord message(std::uint64_t start, std::uint64_t end, std::int32_t peer, int flags) {
    return {.start = start,
            .end = end,
            .node = 2,
            .peer = peer,
            .count = 10,
            .type_bytes = 8,
            .datatype = 13,
            .flags = static_cast<std::uint16_t>(flags),
            .tag = 7,
            .communicator = flags & message_point_to_point ? 2u : 0u};
}

CollectiveRecord collective(std::uint64_t start, std::uint64_t end, CollectiveShape shape,
                            std::int32_t root, std::uint64_t number) {
    return {start, end, number, 2, 2, root, shape};
}

// "send 10-20 main to 3 tag 7 80 B", "broadcast 5-9 (waited from 7 in work) ..."
Lines operation_lines(const VfdFile& file) {
    Lines lines;
    VfdOperationStream stream = file.operations();
    for (VfdOperation found; stream.next(found);) {
        std::string line =
            found.what == VfdOperation::send ? "send "
            : found.what == VfdOperation::receive
                ? "receive "
                : std::string(collective_shapes[found.what - VfdOperation::collectives]) + " ";
        line += std::to_string(found.start_ns) + "-" + std::to_string(found.end_ns) + " " +
                file.stack_text(found.stack);
        if (found.enter_ns != found.start_ns)
            line += ", waited from " + std::to_string(found.enter_ns) + " in " +
                    file.stack_text(found.completing_stack) + " on thread " +
                    std::to_string(found.completing_thread);
        line += found.is_collective() ? ", number " + std::to_string(found.number) + ", root "
                                      : ", " + std::to_string(found.bytes) + " B, tag " +
                                            std::to_string(found.tag) + ", peer ";
        line += std::to_string(found.peer) + ", communicator " + std::to_string(found.communicator);
        lines.push_back(line);
    }
    return lines;
}

struct OperationTrace : SmallTrace {
    OperationTrace() { begin(); }
    VfdFile converted(const EventWords& events) {
        trace.add_events(0, events);
        trace.add_end();
        figures = convert(folder, trace, *this, 5000);
        return VfdFile(folder.vfd());
    }
    VfdFigures figures;
};

}  // namespace

TEST_CASE("operations are in the order of their starts, with the call that completed them") {
    OperationTrace test;
    EventWords events(1000);
    events.enter(1, 1000).group({.identity = 77, .id = 2, .size = 3}, {4, 0, unknown_peer});
    events.completed_message(0, message(1300, 1900, 0, message_received | message_point_to_point),
                             {1700, 1, 0});
    events.message(0, message(1100, 1200, 3, message_point_to_point));
    events.collective(0, collective(1250, 1260, CollectiveShape::one_to_all, 4, 0));
    events.completed_collective(0, collective(1270, 2000, CollectiveShape::barrier, -1, 300),
                                {1950, 1, 0});
    const VfdFile file = test.converted(events);
    CHECK(operation_lines(file) ==
          Lines{"send 100-200 work<main<init, 80 B, tag 7, peer 3, communicator 0",
                "one_to_all 250-260 work<main<init, number 0, root 4, communicator 0",
                "barrier 270-1000 work<main<init, waited from 950 in main<init on thread 0, "
                "number 300, root -1, communicator 0",
                "receive 300-900 work<main<init, waited from 700 in main<init on thread 0, "
                "80 B, tag 7, peer 0, communicator 0"});
    REQUIRE(file.extension().communicators.size() == 1);
    const VfdCommunicator& communicator = file.extension().communicators[0];
    CHECK(communicator.identity == 77);
    CHECK(communicator.size == 3);
    CHECK(communicator.ranks == std::vector<std::int32_t>{4, 0, -1});
    CHECK(test.figures.damaged_chunks == 0);
    // Readers of version 3 see the same as before.
    CHECK(test.figures.message_samples == 2);
    CHECK(file.header().numbers.message_samples == 2);
}

TEST_CASE("messages of collectives and one-sided calls are not operations") {
    OperationTrace test;
    EventWords events(1000);
    events.enter(1, 1000).group({.identity = 1, .id = 2, .size = 4}, {});
    events.communicator(
        {.id = 2, .list = PeerList::members, .size = 2, .first = 0, .own = 0, .count = 0}, {0, 1});
    events.message(0, message(1100, 1200, 3, 0));
    events.fan(0, {.start = 1300,
                   .end = 1400,
                   .node = 2,
                   .communicator = 2,
                   .count = 1,
                   .type_bytes = 4,
                   .datatype = 2,
                   .flags = 0,
                   .tag = -1,
                   .first_peer = 0});
    const VfdFile file = test.converted(events);
    CHECK(file.extension().has_operations);
    CHECK(operation_lines(file) == Lines{});
    CHECK(test.figures.message_samples == 3);
    CHECK(file.extension().communicators[0].size == 4);
    CHECK(file.extension().communicators[0].ranks.empty());
}

TEST_CASE("traces without groups, of older versions, have no operations") {
    OperationTrace test;
    EventWords events(1000);
    events.enter(1, 1000).message(0, message(1100, 1200, 3, 0));
    const VfdFile file = test.converted(events);
    CHECK_FALSE(file.extension().has_operations);
    CHECK(test.figures.damaged_chunks == 0);
}

TEST_CASE("nonsensical operations are left out and counted") {
    const auto damaged = [](auto add) {
        OperationTrace test;
        EventWords events(1000);
        events.enter(1, 1000).group({.identity = 1, .id = 2, .size = 4}, {});
        add(events);
        const VfdFile file = test.converted(events);
        CHECK(operation_lines(file) == Lines{});
        return test.figures.damaged_chunks;
    };
    CollectiveRecord record = collective(1100, 1200, CollectiveShape::barrier, -1, 0);
    CHECK(damaged([&](EventWords&) {}) == 0);
    SECTION("of an unknown communicator") {
        record.communicator = 9;
        CHECK(damaged([&](EventWords& events) { events.collective(0, record); }) == 1);
    }
    SECTION("of an unknown path") {
        record.node = 1000;
        CHECK(damaged([&](EventWords& events) { events.collective(0, record); }) == 1);
    }
    SECTION("of a shape that does not exist") {
        record.shape = static_cast<CollectiveShape>(200);
        CHECK(damaged([&](EventWords& events) { events.collective(0, record); }) == 1);
    }
    SECTION("that end before they are waited for") {
        CHECK(damaged([&](EventWords& events) {
                  events.completed_collective(0, record, {1300, 1, 0});
              }) == 1);
    }
    SECTION("whose group is cut off") {
        CHECK(damaged([&](EventWords& events) {
                  events.message(0, message(1100, 1200, 3, 0));
                  events.record(RecordKind::group, 0, {1, 2});
              }) == 1);
    }
}
