// From samples to nested calls: complete traces, thinned ones, and nonsensical files.
#include <catch2/catch.hpp>

#include <string>

#include <fmt/core.h>

#include "export/replay.hpp"
#include "vfd_builder.hpp"

using namespace vftrace;
using vftrace::test::VfdBuilder;

namespace {

// "+3@10 -3@20 " for a call of stack 3 from 10 to 20.
struct Recorder final : ReplayVisitor {
    std::string events;
    std::string known;    // of the calls that ended: "3:recorded", or the time that is known
    std::string unknown;  // times in which events were left out, with the innermost known stack
    std::vector<std::uint32_t> open_stacks;
    std::int64_t last_ns = 0;
    int messages = 0;

    void open(std::uint32_t stack, std::int64_t ns) override {
        check_time(ns);
        open_stacks.push_back(stack);
        events += fmt::format("+{}@{} ", stack, ns);
    }
    void close(const ReplayedCall& call) override {
        check_time(call.ns);
        REQUIRE(!open_stacks.empty());
        REQUIRE(open_stacks.back() == call.stack);
        open_stacks.pop_back();
        events += fmt::format("-{}@{} ", call.stack, call.ns);
        known += fmt::format("{}:{} ", call.stack,
                             call.recorded  ? "recorded"
                             : call.several ? "several"
                                            : std::to_string(call.least_ns));
    }
    void left_out(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t stack) override {
        unknown += fmt::format("{}-{}:{} ", from_ns, to_ns,
                               stack == no_index ? "-" : std::to_string(stack));
    }
    void counters(std::int64_t ns, std::span<const std::int64_t> readings) override {
        events += fmt::format("c{}@{} ", readings[0], ns);
    }
    void message(const VfdMessageSample&) override { messages++; }

  private:
    void check_time(std::int64_t ns) {
        REQUIRE(ns >= last_ns);
        last_ns = ns;
    }
};

//   0 init   1 main<init   2 a<main<init   3 b<a<main<init   4 c<main<init
VfdBuilder builder(std::int64_t interval_ns = 0, bool with_extension = true) {
    VfdBuilder vfd(with_extension);
    vfd.numbers.interval_ns = interval_ns;
    vfd.numbers.runtime_s = 1e-6;
    vfd.add_stack(0, "main");
    vfd.add_stack(1, "a");
    vfd.add_stack(2, "b");
    vfd.add_stack(1, "c");
    return vfd;
}

struct Replayed {
    std::string events;
    ReplayFigures figures;
    int messages;
    std::string known, unknown;
};

Replayed replay(VfdBuilder vfd, std::uint32_t thread = 0) {
    const test::VfdFileOnDisk on_disk(vfd.contents());
    const VfdFile file(on_disk.path());
    Recorder recorder;
    const ReplayFigures figures = replay_thread(file, thread, recorder);
    CHECK(recorder.open_stacks.empty());
    return {recorder.events, figures, recorder.messages, recorder.known, recorder.unknown};
}

}  // namespace

TEST_CASE("a complete trace is replayed as it is") {
    VfdBuilder vfd = builder();
    vfd.enter(1, 10);
    vfd.enter(2, 20);
    vfd.enter(3, 30);
    vfd.exit(3, 40);
    vfd.exit(2, 50);
    vfd.exit(1, 60);
    vfd.exit(0, 1000);
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@10 +2@20 +3@30 -3@40 -2@50 -1@60 -0@1000 ");
    CHECK(result.figures.calls == 4);
    CHECK(result.figures.inserted == 0);
    CHECK(result.figures.end_ns == 1000);
}

TEST_CASE("calls between which events were left out are marked") {
    VfdBuilder vfd = builder(5);
    vfd.enter(1, 10);
    vfd.enter(2, 20);
    vfd.enter(3, 100);  // a is still open; b may have been called before
    vfd.exit(3, 110);   // nothing was left out: one call
    vfd.enter(3, 200);
    vfd.exit(3, 300);  // this is another call of b
    vfd.exit(2, 400);  // a has ended and begun again
    vfd.exit(1, 500);
    vfd.exit(0, 1000);
    vfd.add_left_out(0, {{2, 100, 6}, {2, 200, 2}, {2, 300, 40}, {1, 400, 3}, {0, 1000, 7}});
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@10 +2@20 +3@100 -3@110 +3@200 -3@300 -2@400 -1@500 -0@1000 ");
    CHECK(result.known == "3:recorded 3:several 2:several 1:recorded 0:recorded ");
    CHECK(result.unknown == "20-100:2 110-200:2 200-300:2 300-400:1 500-1000:0 ");
    CHECK(result.figures.left_out == 58);
}

TEST_CASE("a call whose ends were left out lasted at least as long as it was seen") {
    VfdBuilder vfd = builder(5);
    vfd.enter(1, 10);
    vfd.enter(3, 100);  // a began before
    vfd.exit(3, 160);
    vfd.enter(4, 400);  // a has ended
    vfd.add_left_out(0, {{1, 100, 1}, {2, 160, 8}, {1, 400, 3}});
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@10 +2@55 +3@100 -3@160 -2@280 +4@400 -4@1000 -1@1000 -0@1000 ");
    CHECK(result.known == "3:several 2:60 4:600 1:990 0:recorded ");
}

TEST_CASE("thinned traces of older versions only have what is precise") {
    VfdBuilder vfd = builder(5);
    vfd.add_stack(1, "MPI_Send*");
    vfd.enter(1, 10);
    vfd.enter(5, 100);
    vfd.exit(5, 160);
    vfd.exit(1, 400);
    vfd.exit(0, 1000);
    CHECK(replay(vfd).known == "5:recorded 1:several 0:recorded ");
}

TEST_CASE("what is open at the end is closed at the end of the run") {
    VfdBuilder vfd = builder();
    CHECK(replay(vfd).events == "+0@0 -0@1000 ");
    vfd.enter(1, 10);
    vfd.enter(2, 20);
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@10 +2@20 -2@1000 -1@1000 -0@1000 ");
    CHECK(result.figures.inserted == 3);
    vfd.numbers.runtime_s = 1e-8;  // before the last sample
    CHECK(replay(vfd).figures.end_ns == 20);
}

TEST_CASE("a missing sample is inserted halfway between its neighbours") {
    VfdBuilder vfd = builder(5);
    vfd.enter(3, 100);  // main and a have begun
    vfd.enter(4, 200);  // b and a have ended
    vfd.exit(2, 300);   // c has ended, a has begun
    vfd.exit(0, 1000);  // main has ended
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@50 +2@50 +3@100 -3@150 -2@150 +4@200 -4@250 +2@250 -2@300 "
                           "-1@650 -0@1000 ");
    CHECK(result.figures.inserted == 7);
}

TEST_CASE("recursive calls nest if the trace has every event") {
    auto recursion = [](VfdBuilder vfd) {
        vfd.enter(1, 10);
        vfd.enter(2, 20);
        vfd.enter(2, 30);  // a direct recursion has the same path
        vfd.enter(3, 40);
        vfd.enter(2, 50);  // an indirect one is folded into the path further out
        vfd.enter(3, 60);
        vfd.exit(3, 70);
        vfd.exit(2, 80);
        vfd.exit(3, 90);
        vfd.exit(2, 100);
        vfd.exit(2, 110);
        vfd.exit(1, 120);
        return vfd;
    };
    CHECK(replay(recursion(builder())).events ==
          "+0@0 +1@10 +2@20 +2@30 +3@40 +2@50 +3@60 -3@70 -2@80 -3@90 -2@100 -2@110 -1@120 "
          "-0@1000 ");
    // Otherwise the second beginning shows that the end of the first is missing.
    CHECK(replay(recursion(builder(5))).events.starts_with("+0@0 +1@10 +2@20 -2@25 +2@30 "));
    CHECK(replay(recursion(builder(0, false))).events.starts_with("+0@0 +1@10 +2@20 -2@25 +2@30 "));
}

TEST_CASE("after a gap the next sample shows what is open") {
    VfdBuilder vfd = builder();
    vfd.enter(1, 10);
    vfd.enter(2, 20);
    vfd.enter(2, 60);
    vfd.exit(2, 70);
    vfd.exit(1, 80);
    vfd.add_gap({0, 1, 20, 30, 0});  // the program waited: nothing is missing
    CHECK(replay(vfd).events == "+0@0 +1@10 +2@20 +2@60 -2@70 -2@75 -1@80 -0@1000 ");
    vfd.add_gap({0, 0, 30, 50, 5});
    CHECK(replay(vfd).events == "+0@0 +1@10 +2@20 -2@40 +2@60 -2@70 -1@80 -0@1000 ");
}

TEST_CASE("only calls made on the same thread are replayed") {
    VfdBuilder vfd = builder(5);
    vfd.add_function("", "", no_index, 0, NodeKind::root);
    const std::uint32_t thread = vfd.add_function("[thread]", "", no_index, 0, NodeKind::thread);
    const std::uint32_t parallel =
        vfd.add_function("omp parallel @x.c:3", "", no_index, 0, NodeKind::openmp);
    vfd.add_stack(1, "[thread]", false, thread);               // 5
    vfd.add_stack(5, "work");                                  // 6
    vfd.add_stack(6, "leaf");                                  // 7
    vfd.add_stack(1, "omp parallel @x.c:3", false, parallel);  // 8
    vfd.add_stack(8, "loop");                                  // 9
    vfd.add_stack(9, "body");                                  // 10
    const std::uint32_t pthread = vfd.add_thread(0, "worker");
    const std::uint32_t worker = vfd.add_thread(0, "", true);
    vfd.exit(0, 900);
    vfd.exit(7, 100, pthread);
    vfd.exit(6, 200, pthread);
    vfd.enter(10, 100, worker);
    vfd.exit(9, 200, worker);
    vfd.enter(9, 300, worker);
    CHECK(replay(vfd, pthread).events == "+6@50 +7@50 -7@100 -6@200 ");
    CHECK(replay(vfd, worker).events == "+9@50 +10@100 -10@150 -9@200 +9@300 -9@1000 ");
    // What its own samples name belongs to it, even "[thread]".
    vfd.enter(5, 300, pthread);
    vfd.enter(6, 310, pthread);
    vfd.exit(5, 330, pthread);
    vfd.exit(5, 340, pthread);
    CHECK(replay(vfd, pthread).events == "+6@50 +7@50 -7@100 -6@200 +5@300 +6@310 -6@320 -5@330 "
                                         "+5@335 -5@340 ");
    // On the thread that encounters the construct, it is a call like others.
    vfd.enter(9, 950);
    CHECK(replay(vfd).events == "+0@0 -0@900 +0@925 +1@925 +8@925 +9@950 -9@1000 -8@1000 -1@1000 "
                                "-0@1000 ");
}

TEST_CASE("times never run backwards, whatever the file says") {
    VfdBuilder vfd = builder();
    vfd.enter(1, 500);
    vfd.enter(2, 400);
    vfd.exit(2, 0);
    vfd.exit(1, 9'000'000'000'000'000'000);
    vfd.exit(0, 600);  // Vftrace 2.0 wrote such ends
    CHECK(replay(vfd).events == "+0@0 +1@500 +2@500 -2@500 -1@9000000000000000000 "
                                "-0@9000000000000000000 ");
}

TEST_CASE("counters and messages are passed on") {
    VfdBuilder vfd = builder();
    vfd.add_counter("Cycles", "c");
    vfd.enter(1, 10, 0, {7});
    vfd.send(1, 0, 3, 12, 2);
    vfd.exit(1, 20, 0, {8});
    vfd.exit(0, 30, 0, {9});
    const Replayed result = replay(vfd);
    CHECK(result.events == "+0@0 +1@10 c7@10 -1@20 c8@20 -0@30 c9@30 ");
    CHECK(result.messages == 1);
}
