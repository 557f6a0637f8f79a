// A process rebuilt from its trace: threads, paths, calls, times, whatever is missing.
#include <catch2/catch.hpp>

#include <random>

#include "collate/collect.hpp"
#include "collation_job.hpp"
#include "converted_trace.hpp"
#include "record/openmp_constructs.hpp"
#include "recover/traced_process.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Trace = TraceFileBuilder;

// What `vftrace recover` makes of a trace.
struct Recovered {
    explicit Recovered(const Trace& trace) {
        trace.write(folder.trace());
        opened = file.open(folder.trace());
        if (!opened)
            return;
        process = std::make_unique<TracedProcess>(file);
        process->count_events(process->latest_ticks());
        PathsOfNodes of_nodes;
        collect_profile(profile, process->record(),
                        {.end_ticks = process->latest_ticks(), .nodes = &of_nodes});
        nodes = process->in_trace(of_nodes);
    }
    void check(const std::string& path, std::uint64_t calls, std::int64_t inclusive) const {
        INFO(path);
        const Path& found = path_named(profile, path);
        CHECK(found.calls == calls);
        CHECK(found.inclusive_ns == inclusive);
    }
    std::string path(std::uint32_t thread, std::uint32_t node) const {
        const std::uint32_t index = nodes(thread, node);
        return index == no_index ? "unknown" : path_name(profile, index);
    }
    TemporaryFolder folder;
    TraceFileReader file;
    bool opened = false;
    std::unique_ptr<TracedProcess> process;
    Profile profile;
    PathsOfNodes nodes;
};

Trace one_thread() {
    Trace trace;
    trace.add_process();
    trace.add_paths({Trace::root(0), Trace::region(0, 1, 0, "main"), Trace::region(0, 2, 1, "work"),
                     Trace::region(0, 3, 2, "leaf")});
    return trace;
}

}  // namespace

TEST_CASE("calls and times are counted from events") {
    Trace trace = one_thread();
    EventWords first(1000), second(2000);
    first.enter(1, 1000).enter(2, 1100).enter(3, 1150).exit(3, 1160).exit(2, 1300);
    second.enter(2, 2100).enter(3, 2100);
    trace.add_events(0, first);
    trace.add_events(0, second);
    trace.now_ticks = 2500;  // still alive, in `leaf`
    trace.add_end();
    const Recovered recovered(trace);
    CHECK(recovered.process->record().pid == 4711);
    CHECK(std::string(recovered.process->record().host) == "node7");
    CHECK(recovered.process->latest_ticks() == 2500);
    recovered.check("main<init", 1, 1500);
    recovered.check("work<main<init", 2, 600);
    recovered.check("leaf<work<main<init", 2, 410);
    CHECK(recovered.path(0, 0) == "init");
    CHECK(recovered.path(0, 3) == "leaf<work<main<init");
    CHECK(recovered.path(0, 4) == "unknown");
    CHECK(recovered.path(1, 0) == "unknown");
    CHECK(recovered.file.damaged_chunks() == 0);
}

TEST_CASE("recursion, exits without entry, entries without exit") {
    Trace trace = one_thread();
    EventWords words(1000);
    words.exit(3, 1001);  // entered before the trace
    words.enter(1, 1100).enter(2, 1200).enter(2, 1300).exit(2, 1400).exit(2, 1500);
    words.enter(2, 1600).enter(3, 1650).exit(1, 1700);  // those two were left without exits
    words.enter(2, 1800).exit(2, 1900);                 // main is not open
    trace.add_events(0, words);
    const Recovered recovered(trace);
    recovered.check("main<init", 1, 600);
    recovered.check("work<main<init", 4, 300 + 100 + 100);
    recovered.check("leaf<work<main<init", 1, 50);
}

TEST_CASE("with an interval, calls that are not callers of an entry have ended") {
    Trace trace;
    trace.process.sample_interval_ns = 1000;
    trace.add_process();
    trace.add_paths({Trace::root(0), Trace::region(0, 1, 0, "main"),
                     Trace::region(0, 2, 1, "first"), Trace::region(0, 3, 1, "second")});
    EventWords words(1000);
    words.enter(1, 1000).enter(2, 1100).enter(3, 1300).exit(1, 2000);
    trace.add_events(0, words);
    const Recovered recovered(trace);
    recovered.check("first<main<init", 1, 200);
    recovered.check("second<main<init", 1, 700);
    recovered.check("main<init", 1, 1000);
}

TEST_CASE("folded recursion returns to a path further up") {
    Trace trace = one_thread();
    EventWords words(1000);
    words.enter(1, 1000).enter(2, 1100).enter(1, 1200).exit(1, 1300).exit(2, 1500).exit(1, 1600);
    trace.add_events(0, words);
    const Recovered recovered(trace);
    recovered.check("main<init", 2, 600);
    recovered.check("work<main<init", 1, 300);  // without the folded call
}

TEST_CASE("time in pauses and in waits for the trace belongs to no function") {
    Trace trace = one_thread();
    trace.add_paths({Trace::node(0, 4, 2, NodeKind::pause)});
    EventWords words(1000);
    words.enter(1, 1000).enter(2, 1100).enter(4, 1200).exit(4, 1500).exit(2, 1600);
    words.gap(RecordKind::waited, 1650, 1750, 0).exit(1, 2000);
    trace.add_events(0, words);
    const Recovered recovered(trace);
    recovered.check("main<init", 1, 1000 - 300 - 100);
    recovered.check("work<main<init", 1, 200);
    recovered.check("vftrace_pause<work<main<init", 1, 300);
    CHECK(recovered.profile.run.paused_ns == 300);
}

TEST_CASE("threads, teams and names of all kinds") {
    Trace trace;
    trace.add_process();
    TracedPath function = Trace::node(0, 5, 1, NodeKind::function);
    function.path.module = 3;
    function.path.offset = 0x1234;
    TracedPath unknown_module = Trace::node(0, 6, 1, NodeKind::function);
    unknown_module.path.module = 2;
    unknown_module.path.offset = 0x99;
    const auto parallel = static_cast<std::uint64_t>(OpenmpConstruct::parallel);
    trace.add_paths(
        {Trace::root(0), Trace::region(0, 1, 0, "main"), Trace::node(0, 2, 1, NodeKind::thread),
         Trace::node(0, 3, 1, NodeKind::openmp, "", parallel),
         Trace::node(0, 4, 1, NodeKind::openmp, "", 250), function, unknown_module,
         Trace::node(0, 7, 1, NodeKind::gpu, "_Z4workPf", gpu_call_id(GpuApi::runtime, 211))});
    // The threads' descriptions come before and after those of what they refer to.
    trace.add_paths({Trace::root(1, 0, 2, "worker"), Trace::graft(1, 1, 0, 0, 2),
                     Trace::region(1, 2, 1, "body"), Trace::root(2, no_target, 0, "", 1),
                     Trace::graft(2, 1, 0, 0, 3), Trace::region(2, 2, 1, "share"),
                     Trace::graft(2, 3, 0, 77, 3)});
    trace.add_module(3, "/lib/nowhere.so");
    EventWords main_thread(1000), worker(1000), team(1000);
    main_thread.enter(1, 1000).enter(5, 1010).exit(5, 1020).enter(6, 1020).exit(6, 1030);
    main_thread.enter(7, 1040).exit(7, 1090);
    worker.enter(1, 1100).enter(2, 1110).exit(2, 1200).exit(1, 1210);
    team.enter(1, 1300).enter(2, 1310).exit(2, 1400).exit(1, 1410);
    trace.add_events(0, main_thread);
    trace.add_events(1, worker);
    trace.add_events(2, team);
    const Recovered recovered(trace);
    CHECK(recovered.path(1, 2) == "body<[thread]<main<init");
    CHECK(recovered.path(2, 2) == "share<omp parallel<main<init");
    CHECK(recovered.path(2, 3) == "init");
    CHECK(recovered.path(0, 4) == "unknown");
    CHECK(recovered.path(0, 5) == "nowhere.so+0x1234<main<init");
    recovered.check("body<[thread]<main<init", 1, 90);
    recovered.check("_Z4workPf<main<init", 1, 50);
    const Path& launch = path_named(recovered.profile, "_Z4workPf<main<init");
    CHECK(recovered.profile.functions[launch.function].kind == NodeKind::gpu);
    CHECK(recovered.profile.functions[launch.function].offset == gpu_call_id(GpuApi::runtime, 211));
    REQUIRE(recovered.profile.threads.size() == 3);
    CHECK(recovered.profile.threads[1].name == "worker");
    CHECK(recovered.profile.threads[2].openmp_worker);
    CHECK(recovered.file.damaged_chunks() == 1);  // the one with the nonexistent construct
}

TEST_CASE("a thread that is named late") {
    Trace trace = one_thread();
    trace.add_paths({Trace::root(0, no_target, 0, "solver with a long name")});
    trace.add_events(0, EventWords(1000).enter(1, 1001));
    const Recovered recovered(trace);
    CHECK(recovered.profile.threads[0].name == "solver with a l");
    CHECK(recovered.path(0, 3) == "leaf<work<main<init");
}

TEST_CASE("lost paths do not affect those above") {
    Trace trace;
    trace.add_process();
    trace.add_paths({Trace::root(0), Trace::region(0, 1, 0, "main")});
    trace.add_paths({Trace::region(0, 2, 1, "lost")});
    trace.add_paths({Trace::region(0, 3, 2, "below"), Trace::region(0, 4, 1, "other")});
    trace.add_events(0, EventWords(1000).enter(1, 1000).enter(2, 1001).enter(4, 1002));
    trace.bytes[trace.chunk_starts[2] + sizeof(ChunkHeader) + 3] ^= 1;
    const Recovered recovered(trace);
    CHECK(recovered.path(0, 1) == "main<init");
    CHECK(recovered.path(0, 2) == "unknown");
    CHECK(recovered.path(0, 3) == "unknown");
    CHECK(recovered.path(0, 4) == "other<main<init");
    recovered.check("other<main<init", 1, 0);
    CHECK(recovered.file.damaged_chunks() == 2);
}

TEST_CASE("numbers that are too large") {
    Trace trace = one_thread();
    trace.add_paths({Trace::root(0xffff'fffe), Trace::root(900'000),
                     Trace::region(0, 0xffff'ffff, 0, "a"), Trace::region(0, 4'000'000, 0, "b"),
                     Trace::region(0, 4'000'001, 4'000'000, "c"), Trace::region(0, 3, 7, "d"),
                     Trace::region(5, 1, 0, "e"), Trace::node(0, 9, 0, static_cast<NodeKind>(99))});
    trace.add_module(0xffff'ffff, "/x");
    trace.add_events(0, EventWords(1000).enter(1, 1000).enter(4'000'001, 1001));
    const Recovered recovered(trace);
    CHECK(recovered.process->record().thread_count == 1);
    CHECK(recovered.path(0, 4'000'001) == "c<b<init");
    recovered.check("c<b<init", 1, 0);
    CHECK(recovered.file.damaged_chunks() == 1);
}

TEST_CASE("without a process, or without anything") {
    Trace trace;
    trace.add_paths({Trace::root(0), Trace::region(0, 1, 0, "main")});
    const Recovered recovered(trace);
    CHECK_FALSE(recovered.process->is_known());
    CHECK(std::string(recovered.process->record().host).empty());
    Trace alone;
    alone.add_process();
    const Recovered nothing(alone);
    CHECK(nothing.process->is_known());
    CHECK(nothing.profile.paths.size() == 1);
}

TEST_CASE("random damage with correct checksums: the process can be inspected") {
    Trace trace = one_thread();
    trace.add_paths({Trace::node(0, 4, 1, NodeKind::thread), Trace::node(0, 5, 1, NodeKind::alias),
                     Trace::node(0, 6, 1, NodeKind::pause), Trace::root(1, 0, 4, "worker"),
                     Trace::graft(1, 1, 0, 0, 4), Trace::region(1, 2, 1, "body"),
                     Trace::graft(0, 7, 2, 1, 2)});
    EventWords words(1000);
    for (std::uint32_t i = 0; i < 8; i++)
        words.enter(i, 1000 + i);
    for (std::uint32_t i = 8; i-- > 0;)
        words.exit(i, 1100 - i);
    trace.add_events(0, words);
    trace.add_events(1, words);
    const std::string sound = trace.bytes;
    std::mt19937 random(13);
    for (int i = 0; i < 3000; i++) {
        trace.bytes = sound;
        for (int j = 0; j < 1 + i % 6; j++) {
            const std::size_t chunk = random() % trace.chunk_starts.size();
            const std::size_t payload = trace.chunk_starts[chunk] + sizeof(ChunkHeader);
            const std::size_t end = chunk + 1 < trace.chunk_starts.size()
                                        ? trace.chunk_starts[chunk + 1]
                                        : sound.size();
            trace.bytes[payload + random() % (end - payload)] =
                static_cast<char>(random() % 3 ? random() % 8 : random());
        }
        for (std::size_t start : trace.chunk_starts) {
            ChunkHeader header;
            std::memcpy(&header, trace.bytes.data() + start, sizeof header);
            std::vector<std::uint64_t> payload(header.bytes / 8);
            std::memcpy(payload.data(), trace.bytes.data() + start + sizeof header, header.bytes);
            header.checksum = chunk_checksum(header, payload.data());
            std::memcpy(trace.bytes.data() + start, &header, sizeof header);
        }
        const Recovered recovered(trace);
        REQUIRE(recovered.opened);
        for (const std::vector<std::uint32_t>& paths : recovered.nodes.path_of)
            for (std::uint32_t path : paths)
                CHECK((path == no_index || path < recovered.profile.paths.size()));
    }
}
