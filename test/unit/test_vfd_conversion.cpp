// From chunks to a vfd file: order, names, gaps, threads, messages.
#include <catch2/catch.hpp>

#include <random>

#include "converted_trace.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Lines = std::vector<std::string>;
using Trace = TraceFileBuilder;

}  // namespace

TEST_CASE("a small trace") {
    SmallTrace small;
    small.begin();
    EventWords first(1000), second(1500);
    first.enter(1, 1010).enter(2, 1020).hole().exit(2, 1030);
    second.enter(2, 1500).exit(2, 1600).exit(1, 1700);
    small.trace.add_events(0, first);
    small.trace.add_events(0, second);
    small.trace.add_end();
    const VfdFigures figures = convert(small.folder, small.trace, small, 2000, 2.0);
    CHECK(figures.error == "");
    CHECK(figures.function_samples == 7);
    CHECK(figures.message_samples == 0);
    CHECK(figures.damaged_chunks == 0);
    const VfdFile file(small.folder.vfd());
    CHECK(figures.bytes == file.bytes());
    CHECK(sample_lines(file) == Lines{"20 call main<init", "40 call work<main<init",
                                      "60 exit work<main<init", "1000 call work<main<init",
                                      "1200 exit work<main<init", "1400 exit main<init",
                                      "2000 exit init"});
    CHECK(file.header().package == "vftrace " VFTRACE_VERSION);
    CHECK(file.header().start_date.size() == 24);
    CHECK(file.header().start_date != file.header().end_date);
    const VfdNumbers numbers = file.header().numbers;
    CHECK(numbers.function_samples == 7);
    CHECK(numbers.threads == 1);
    CHECK(numbers.runtime_s == 3.0);
    CHECK(numbers.processes == 1);
    // Right after the header.
    CHECK(numbers.samples_offset ==
          static_cast<std::int64_t>(4 + 4 + sizeof("vftrace " VFTRACE_VERSION) + 4 + 2 * 25 + 80));
    CHECK(file.extension().present);
    CHECK(file.extension().application == "program");
    CHECK(file.extension().host == "node7");
    CHECK(file.extension().functions.size() == 3);
    REQUIRE(file.extension().clock);
    CHECK(file.extension().clock->measured == 0);
    CHECK(std::int64_t{file.extension().clock->start_monotonic_ns} == 5'000'000);
    CHECK_FALSE(small.folder.has_parts());
    CHECK(exists(small.folder.trace()));
}

TEST_CASE("a trace without events is the exit of init") {
    SmallTrace small;
    small.begin();
    CHECK(convert(small.folder, small.trace, small, 1007).error == "");
    CHECK(sample_lines(VfdFile(small.folder.vfd())) == Lines{"7 exit init"});
}

TEST_CASE("events that a signal handler put into disorder") {
    SmallTrace small;
    small.begin();
    EventWords first(1000), second(1000);
    // main read its clock at 1010 and was interrupted before it wrote. The next two, at one time,
    // keep their order; the handler's events are in the chunk before.
    first.enter(2, 1020).exit(2, 1030);
    second.enter(1, 1010).exit(2, 1040).enter(2, 1040).exit(2, 1041).exit(2, 1040);
    small.trace.add_events(0, first);
    small.trace.add_events(0, second);
    convert(small.folder, small.trace, small, 2000);
    CHECK(sample_lines(VfdFile(small.folder.vfd())) ==
          Lines{"10 call main<init", "20 call work<main<init", "30 exit work<main<init",
                "40 exit work<main<init", "40 call work<main<init", "40 exit work<main<init",
                "41 exit work<main<init", "1000 exit init"});
}

TEST_CASE("many events, some of them late, come out in order") {
    SmallTrace small;
    small.begin();
    constexpr std::uint64_t events = 200'000;
    std::mt19937 random(3);
    EventWords words(1000);
    for (std::uint64_t i = 0; i < events; i++) {
        const std::uint64_t late = i > 2000 && random() % 100 == 0 ? random() % 900 : 0;
        words.enter(1 + (late > 0), 1000 + i - late);
        if (i % 50'000 == 0) {
            small.trace.add_events(0, words);
            words = EventWords(1000);
        }
    }
    small.trace.add_events(0, words);
    convert(small.folder, small.trace, small, 1000 + events);
    const VfdFile file(small.folder.vfd());
    VfdSampleStream samples = file.samples();
    std::int64_t last = 0;
    std::uint64_t count = 0, late = 0;
    for (VfdSample sample; samples.next(sample); count++) {
        REQUIRE(sample.ns >= last);
        last = sample.ns;
        late += sample.stack == 2;
    }
    CHECK(count == events + 1);
    CHECK(late > events / 200);
}

TEST_CASE("events later than the end, earlier than the start or of unknown nodes") {
    SmallTrace small;
    small.begin();
    EventWords words;
    words.enter(1, 900).enter(2, 1500).enter(7, 1600).exit(2, 2000).exit(1, 2001);
    small.trace.add_events(0, words);
    EventWords elsewhere;
    elsewhere.enter(1, 1700);
    small.trace.add_events(3, elsewhere);
    const VfdFigures figures = convert(small.folder, small.trace, small, 2000);
    CHECK(sample_lines(VfdFile(small.folder.vfd())) ==
          Lines{"0 call main<init", "500 call work<main<init", "1000 exit work<main<init",
                "1000 exit init"});
    CHECK(figures.damaged_chunks == 2);
    CHECK(figures.error == "");
}

TEST_CASE("which functions are precise") {
    RegionProfile known;
    TemporaryFolder folder;
    const std::uint32_t main = known.add(0, "main", NodeKind::function);
    const std::uint32_t named = known.add(main, "named", NodeKind::function);
    const std::uint32_t region = known.add(main, "region");
    const std::uint32_t send = known.add(main, "MPI_Send", NodeKind::mpi);
    known.add(main, "vftrace_pause", NodeKind::pause);
    known.add(main, "[thread]", NodeKind::thread);
    known.add(main, "omp parallel", NodeKind::openmp);
    known.nodes.path_of = {{0, main, named, region, send}};
    Trace trace;
    trace.add_process();
    TracedPath precise = Trace::node(0, 2, 1, NodeKind::function);
    precise.path.flags = 4;
    trace.add_paths({Trace::root(0, no_target, no_target, "", 0xff),
                     Trace::node(0, 1, 0, NodeKind::function), precise});
    convert(folder, trace, known, 2000);
    const VfdFile file(folder.vfd());
    Lines names;
    for (std::uint32_t i = 0; i < file.stacks().size(); i++)
        names.push_back(file.stack_text(i, true));
    CHECK(names == Lines{"init", "main<init", "named*<main<init", "region*<main<init",
                         "MPI_Send*<main<init", "vftrace_pause*<main<init", "[thread]<main<init",
                         "omp parallel<main<init"});
}

TEST_CASE("several threads: samples, names, parents") {
    SmallTrace small;
    small.nodes.path_of = {{0, 1, 2}, {0, 2}, {0, 2}, {0, 2}};
    small.trace.add_process();
    small.trace.add_paths({Trace::root(0), Trace::root(1, 0, 1, "worker", 1), Trace::root(2, 1, 1),
                           Trace::root(3, 99, 1)});
    small.profile.threads.push_back({.number = 2, .name = "late"});
    for (std::uint32_t thread : {1, 0, 3, 1}) {
        EventWords words(1000 + 100 * small.trace.chunk_starts.size());
        const std::uint32_t node = thread == 0 ? 2 : 1;
        words.enter(node, words.base + 1).exit(node, words.base + 2);
        small.trace.add_events(thread, words);
    }
    const VfdFigures figures = convert(small.folder, small.trace, small, 5000);
    const VfdFile file(small.folder.vfd());
    CHECK(figures.function_samples == 9);
    CHECK(std::uint32_t{file.header().numbers.function_samples} == 3);
    CHECK(sample_lines(file) ==
          Lines{"301 call work<main<init", "302 exit work<main<init", "4000 exit init"});
    CHECK(sample_lines(file, 1) == Lines{"201 call work<main<init", "202 exit work<main<init",
                                         "501 call work<main<init", "502 exit work<main<init"});
    CHECK(sample_lines(file, 2).empty());
    CHECK(sample_lines(file, 3).size() == 2);
    REQUIRE(file.threads().size() == 4);
    CHECK(file.threads()[0].parent == -1);
    CHECK(file.threads()[1].parent == 0);
    CHECK(file.threads()[2].parent == 1);
    CHECK(file.threads()[3].parent == 0);
    CHECK(file.threads()[1].name == "worker");
    CHECK(file.threads()[2].name == "late");
    CHECK(file.threads()[1].openmp_worker);
    CHECK_FALSE(file.threads()[2].openmp_worker);
    CHECK(file.threads()[1].number == 101);
    CHECK(file.threads()[1].samples == 4);
    CHECK(file.threads()[0].samples == 3);
}

TEST_CASE("counters: readings belong to the next event and are repeated") {
    SmallTrace small;
    small.trace.process.counters = 2;
    small.profile.run.counters = {{"PAPI_TOT_CYC", "cyc"}};
    small.profile.run.observables = {{"rate", "cyc/T", "1/s"}, {"plain", "cyc", ""}};
    small.begin();
    EventWords words(1000);
    words.enter(1, 1001)
        .record(RecordKind::readings, 0, {7, static_cast<std::uint64_t>(-3)})
        .enter(2, 1002)
        .exit(2, 1003)
        .record(RecordKind::readings, 0, {8, 9})
        .exit(1, 1000);
    small.trace.add_events(0, words);
    small.trace.add_events(1, words);  // of no thread
    const VfdFigures figures = convert(small.folder, small.trace, small, 1010);
    const VfdFile file(small.folder.vfd());
    CHECK(sample_lines(file) == Lines{"0 exit main<init 8 9", "1 call main<init 0 0",
                                      "2 call work<main<init 7 -3", "3 exit work<main<init 7 -3",
                                      "10 exit init 8 9"});
    REQUIRE(file.counters().size() == 2);
    CHECK(file.counters()[0].name == "PAPI_TOT_CYC");
    CHECK(file.counters()[0].symbol == "cyc");
    CHECK(file.counters()[1].symbol == "c1");
    REQUIRE(file.observables().size() == 2);
    CHECK(file.observables()[0].unit == "1/s");
    CHECK(file.observables()[1].unit == "");
    CHECK(figures.damaged_chunks == 1);
}

TEST_CASE("gaps") {
    SmallTrace small;
    small.begin();
    EventWords words(1000);
    words.gap(RecordKind::waited, 1100, 1200, 0)
        .gap(RecordKind::dropped, 1300, 1400, 17)
        .gap(RecordKind::dropped, 1500, 1400, 1)
        .gap(RecordKind::dropped, 1600, 1700, 3);
    small.trace.add_events(0, words);
    const VfdFigures figures = convert(small.folder, small.trace, small, 2000);
    CHECK(figures.dropped_events == 20);
    CHECK(figures.damaged_chunks == 1);
    const VfdFile file(small.folder.vfd());
    REQUIRE(file.extension().gaps.size() == 3);
    CHECK(std::uint32_t{file.extension().gaps[0].waited} == 1);
    CHECK(std::int64_t{file.extension().gaps[1].start_ns} == 300);
    CHECK(std::uint64_t{file.extension().gaps[1].events} == 17);
}

TEST_CASE("more gaps than are kept one by one") {
    SmallTrace small;
    small.begin();
    EventWords words(1000);
    constexpr std::uint64_t gaps = 150'000;
    for (std::uint64_t i = 0; i < gaps; i++)
        words.gap(i % 2 ? RecordKind::waited : RecordKind::dropped, 1000 + i, 1001 + i, 1);
    small.trace.add_events(0, words);
    CHECK(convert(small.folder, small.trace, small, 10'000'000).dropped_events == gaps / 2);
    const VfdFile file(small.folder.vfd());
    CHECK(file.extension().gaps.size() == 100'000);
    std::uint64_t events = 0;
    for (const VfdGap& gap : file.extension().gaps)
        events += gap.events;
    CHECK(events == gaps);
}

TEST_CASE("clocks of other ranks") {
    SmallTrace small;
    small.begin();
    TraceClocks clocks{};
    clocks.begin = {5'000'100, -77, 3, 1};
    small.trace.add_clocks(clocks);
    clocks.end = {5'900'000, -99, 4, 1};
    small.trace.add_clocks(clocks);
    convert(small.folder, small.trace, small, 2000);
    const VfdClock clock = *VfdFile(small.folder.vfd()).extension().clock;
    CHECK(std::int32_t{clock.measured} == 2);
    CHECK(std::int64_t{clock.begin_ns} == 100);
    CHECK(std::int64_t{clock.begin_offset_ns} == -77);
    CHECK(std::int64_t{clock.end_ns} == 900'000);
    CHECK(std::int64_t{clock.end_error_ns} == 4);
}

TEST_CASE("messages are placed between the calls, and after calls at the same time") {
    SmallTrace small;
    small.begin();
    EventWords words(1000);
    words.enter(1, 1010).enter(2, 1020);
    words.message(0, {.start = 1020,
                      .end = 1025,
                      .node = 2,
                      .peer = 1,
                      .count = 5,
                      .type_bytes = 8,
                      .datatype = 13,
                      .flags = 0,
                      .tag = 7,
                      .communicator = 0});
    words.exit(2, 1030);
    // A message that was noticed late, and one that was started after the end.
    words.message(0, {.start = 1015,
                      .end = 1040,
                      .node = 1,
                      .peer = 2,
                      .count = 1,
                      .type_bytes = 4,
                      .datatype = -1,
                      .flags = message_received,
                      .tag = -1,
                      .communicator = 0});
    words.message(0, {.start = 2001,
                      .end = 2002,
                      .node = 1,
                      .peer = 2,
                      .count = 1,
                      .type_bytes = 4,
                      .datatype = 2,
                      .flags = 0,
                      .tag = 0,
                      .communicator = 0});
    words.message(0, {.start = 1900,
                      .end = 2000,
                      .node = 1,
                      .peer = 3,
                      .count = 3'000'000'000,
                      .type_bytes = 4,
                      .datatype = 2,
                      .flags = 0,
                      .tag = 0,
                      .communicator = 0});
    words.message(0, {.start = 1901,
                      .end = 2000,
                      .node = 9,
                      .peer = 3,
                      .count = 1,
                      .type_bytes = 4,
                      .datatype = 2,
                      .flags = 0,
                      .tag = 0,
                      .communicator = 0});
    words.exit(1, 1800);
    small.trace.add_events(0, words);
    const VfdFigures figures = convert(small.folder, small.trace, small, 2000);
    const VfdFile file(small.folder.vfd());
    CHECK(sample_lines(file) ==
          Lines{"10 call main<init", "15-40 recv from 2 of main<init thread 0: 1x4 type -1 tag -1",
                "20 call work<main<init",
                "20-25 send to 1 of work<main<init thread 0: 5x8 type 13 tag 7",
                "30 exit work<main<init", "800 exit main<init",
                "900-1000 send to 3 of main<init thread 0: 1500000000x8 type 2 tag 0",
                "1000 exit init"});
    CHECK(figures.message_samples == 3);
    CHECK(figures.function_samples == 5);
    CHECK(figures.damaged_chunks == 1);
}
