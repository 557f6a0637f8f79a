// Roll calls: grouping, words, and the texts in which processes pass them on.
#include <catch2/catch.hpp>

#include "rollcall/roll_call.hpp"

using namespace vftrace;

namespace {

RankPlace at(std::uint32_t rank, const char* path, Activity activity, double seconds,
             const char* host = "n1") {
    return {rank, host, path, activity, seconds, false};
}

// 4095 ranks wait for one.
RollCall hung_job() {
    RollCall call;
    call.application = "heat";
    call.expected = 4096;
    for (std::uint32_t rank = 0; rank < 4096; rank++)
        if (rank != 1203)
            call.add(at(rank, "MPI_Allreduce < norm < solve", Activity::waits, 61.2));
    call.add(at(1203, "read_mesh < main", Activity::computes, 62, "n17"));
    call.sort();
    return call;
}

RollCall through_text(const RollCall& call, std::size_t most_bytes = 64'000) {
    RollCall read;
    const std::string text = call.encode(most_bytes);
    CHECK(text.size() <= most_bytes);
    REQUIRE(RollCall::decode(text, read));
    return read;
}

}  // namespace

TEST_CASE("roll call: majority and minority in words") {
    CHECK(hung_job().words(10) ==
          "  4095 ranks wait in MPI_Allreduce < norm < solve for 61 s\n"
          "      (ranks 0-1202, 1204-4095)\n"
          "  rank 1203 on node n17 is in read_mesh < main for 62 s, computing\n");
}

TEST_CASE("roll call: the same words after parts of it were sent and merged") {
    RollCall merged;
    for (std::uint32_t host = 0; host < 4; host++) {
        RollCall part;
        part.application = "heat";
        part.expected = 4096;
        for (std::uint32_t rank = host * 1024; rank < (host + 1) * 1024; rank++)
            part.add(rank == 1203
                         ? at(rank, "read_mesh < main", Activity::computes, 62, "n17")
                         : at(rank, "MPI_Allreduce < norm < solve", Activity::waits, 61.2));
        part.sort();
        merged.merge(through_text(part));
    }
    CHECK(merged.words(10) == hung_job().words(10));
    CHECK(merged.application == "heat");
    CHECK(merged.missing().empty());
}

TEST_CASE("roll call: few ranks are named, with their hosts") {
    RollCall call;
    call.add(at(3, "recv < main", Activity::sleeps, 5, "n2"));
    call.add(at(7, "recv < main", Activity::sleeps, 5.1, "n2"));
    CHECK(call.words(10) == "  ranks 3 and 7 on node n2 are in recv < main for 5.0 s, asleep\n");
    call.add(at(9, "recv < main", Activity::sleeps, 30, "n5"));
    CHECK(
        call.words(10) ==
        "  ranks 3 on node n2, 7 on node n2 and 9 on node n5 are in recv < main for 5.0 s to 30 s, "
        "asleep\n");
}

TEST_CASE("roll call: the name of each activity") {
    const auto words = [](Activity activity, const char* path) {
        RollCall call;
        call.add(at(0, path, activity, 700));
        return call.words(10);
    };
    CHECK(words(Activity::waits, "MPI_Recv") ==
          "  rank 0 on node n1 waits in MPI_Recv for 12 min\n");
    CHECK(words(Activity::stopped, "f") ==
          "  rank 0 on node n1 is in f for 12 min, stopped by a signal or a debugger\n");
    CHECK(words(Activity::not_recorded, "f") ==
          "  rank 0 on node n1 was in f when recording was switched off or paused\n");
    CHECK(words(Activity::computes, "") ==
          "  rank 0 on node n1 is outside all recorded functions, computing\n");
}

TEST_CASE("roll call: missing ranks, and why they are missing") {
    RollCall call;
    call.expected = 8;
    for (std::uint32_t rank : {5u, 0u, 1u, 6u})
        call.add(at(rank, "f", Activity::unknown, 2));
    call.problems.push_back("n4: no answer within 20 s");
    call.sort();
    CHECK(call.words(10) == "  4 ranks are in f for 2.0 s\n"
                            "      (ranks 0-1, 5-6)\n"
                            "  4 ranks are not seen: 2-4, 7\n"
                            "  n4: no answer within 20 s\n");
    CHECK(through_text(call).words(10) == call.words(10));
}

TEST_CASE("roll call: more places than are shown") {
    RollCall call;
    for (std::uint32_t rank = 0; rank < 100; rank++)
        call.add(at(rank, ("f" + std::to_string(rank)).c_str(), Activity::computes, 1));
    call.sort();
    CHECK(call.words(2) == "  rank 0 on node n1 is in f0 for 1.0 s, computing\n"
                           "  rank 1 on node n1 is in f1 for 1.0 s, computing\n"
                           "  98 ranks are in 98 further places\n");
}

TEST_CASE("roll call: places that do not fit into a message are counted") {
    RollCall call;
    for (std::uint32_t rank = 0; rank < 3000; rank++)
        call.add(at(rank, (std::string(200, 'x') + std::to_string(rank)).c_str(),
                    Activity::computes, 1));
    call.sort();
    const RollCall read = through_text(call);
    CHECK(read.count() == 3000);
    CHECK(read.groups().size() < 400);
    CHECK(read.groups().front().path == "(other places)");
    CHECK(through_text(read).count() == 3000);
}

TEST_CASE("roll call: ranks that alternate between two places") {
    RollCall call;
    call.expected = 4000;
    for (std::uint32_t rank = 0; rank < 4000; rank++)
        call.add(at(rank, rank % 2 ? "a" : "b", Activity::waits, 1));
    call.sort();
    REQUIRE(call.groups().size() == 2);
    CHECK(call.groups()[0].count == 2000);
    CHECK(call.groups()[0].ranges.size() == PlaceGroup::most_ranges);
    CHECK(call.missing().empty());  // not all ranges are known
    CHECK(through_text(call).count() == 4000);
}

TEST_CASE("roll call: texts that are not a roll call") {
    RollCall call;
    const std::string good = hung_job().encode(64'000);
    CHECK(RollCall::decode(good, call));
    CHECK_FALSE(RollCall::decode("", call));
    CHECK_FALSE(RollCall::decode("end\tstuck\n", call));
    CHECK_FALSE(RollCall::decode("rollcall 1\tmany\theat\nend\tstuck\n", call));
    for (std::size_t length = 0; length + 1 < good.size(); length += 7)
        CHECK_FALSE(RollCall::decode(std::string_view(good).substr(0, length), call));
    for (const char* line : {"at\t9\t1\t1\t0\t1\t0\t0@n\tf", "at\t0\t-1\t1\t0\t1\t0\t0@n\tf",
                             "at\t0\t1\tnan\t0\t1\t0\t0@n\tf", "at\t0\t1\t1\t0\t0\t0\t0@n\tf",
                             "at\t0\t1\t1\t0\t1\t5-3\t0@n\tf", "at\t0\t1\t1\t0\t1\t0\t0\tf",
                             "at\t0\t1\t1\t0\t99999999999\t0\t0@n\tf", "at\t0", "nothing"})
        CHECK_FALSE(RollCall::decode(
            std::string("rollcall 1\t1\theat\n") + line + "\nend\tmoving\n", call));
}

TEST_CASE("roll call: names cannot break the text") {
    RollCall call;
    call.application = "a\tb\nc";
    call.add(at(0, "f\t<\ng", Activity::unknown, 1, "n1,n2\n"));
    call.sort();
    const RollCall read = through_text(call);
    CHECK(read.application == "a?b?c");
    CHECK(read.groups().front().path == "f?<?g");
    CHECK(read.groups().front().named.front().host == "n1?n2?");
}

TEST_CASE("roll call: durations") {
    CHECK(duration_text(0.04) == "0.0 s");
    CHECK(duration_text(83) == "83 s");
    CHECK(duration_text(1000) == "17 min");
    CHECK(duration_text(40'000) == "11.1 h");
}
