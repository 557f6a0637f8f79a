// Profiles made from traces: nested calls, recursion, threads, gaps, thinned traces.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "export/trace_profile.hpp"
#include "notice_texts.hpp"
#include "vfd_builder.hpp"

using namespace vftrace;
using vftrace::test::texts_of;
using vftrace::test::VfdBuilder;

namespace {

Profile profile_of(VfdBuilder& builder) {
    char name[] = "/tmp/vftrace-trace-profile-XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    close(file);
    builder.write(name);
    const VfdFile trace(name);
    const Profile profile = profile_of_trace(trace);
    unlink(name);
    return profile;
}

// calls, inclusive and exclusive time
std::string figures(const Path& path) {
    return std::to_string(path.calls) + " " + std::to_string(path.inclusive_ns) + " " +
           std::to_string(path.exclusive_ns);
}

bool warns(const Profile& profile, const std::string& text) {
    const std::vector<std::string> warnings = texts_of(profile.run.notices);
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
        return warning.find(text) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("trace profile: nested calls") {
    for (const bool with_extension : {true, false}) {
        VfdBuilder builder(with_extension);
        const std::uint32_t main = builder.add_stack(0, "main");
        const std::uint32_t work = builder.add_stack(static_cast<std::int32_t>(main), "work");
        builder.enter(main, 100);
        builder.enter(work, 200);
        builder.exit(work, 500);
        builder.enter(work, 600);
        builder.exit(work, 1000);
        builder.exit(main, 1100);
        builder.exit(0, 1050);  // older than the one before, as Vftrace 2.0 writes it
        const Profile profile = profile_of(builder);
        REQUIRE(profile.paths.size() == 3);
        CHECK(figures(profile.paths[0]) == "0 0 0");
        CHECK(figures(profile.paths[main]) == "1 1000 300");
        CHECK(figures(profile.paths[work]) == "2 700 700");
        CHECK(profile.functions[profile.paths[work].function].name == "work");
        CHECK(profile.functions[profile.paths[0].function].kind == NodeKind::root);
        CHECK(profile.run.runtime_ns == 1'000'000'000);
        CHECK(profile.run.notices.empty());
        CHECK(profile.thread_paths.empty());
        CHECK(profile.ranks.empty());
    }
}

TEST_CASE("trace profile: recursion counts its time once") {
    VfdBuilder builder;
    const std::uint32_t f = builder.add_stack(0, "f");
    builder.enter(f, 0);
    builder.enter(f, 10);
    builder.enter(f, 20);
    builder.exit(f, 30);
    builder.exit(f, 40);
    builder.exit(f, 50);
    CHECK(figures(profile_of(builder).paths[f]) == "3 50 50");
}

TEST_CASE("trace profile: folded recursion continues with the caller") {
    VfdBuilder builder;
    const std::uint32_t f = builder.add_stack(0, "f");
    const std::uint32_t g = builder.add_stack(static_cast<std::int32_t>(f), "g");
    builder.enter(f, 0);
    builder.enter(g, 10);
    builder.enter(f, 20);  // f<g<f<init was folded into f<init
    builder.exit(f, 30);
    builder.exit(g, 50);
    builder.exit(f, 60);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[f]) == "2 60 30");
    CHECK(figures(profile.paths[g]) == "1 30 30");
}

TEST_CASE("trace profile: paused time belongs to no function") {
    VfdBuilder builder;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t pause = builder.add_stack(static_cast<std::int32_t>(main), "vftrace_pause");
    builder.enter(main, 0);
    builder.enter(pause, 100);
    builder.exit(pause, 1100);
    builder.exit(main, 1200);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[main]) == "1 200 200");
    CHECK(figures(profile.paths[pause]) == "1 1000 1000");
    CHECK((profile.paths[pause].flags & path_paused) != 0);
    CHECK(profile.run.paused_ns == 1000);
}

TEST_CASE("trace profile: threads") {
    VfdBuilder builder;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t threads = builder.add_stack(static_cast<std::int32_t>(main), "[thread]");
    const std::uint32_t work = builder.add_stack(static_cast<std::int32_t>(threads), "work");
    const std::uint32_t one = builder.add_thread(0, "pool");
    builder.enter(main, 0);
    builder.exit(main, 1000);
    builder.enter(work, 100, one);
    builder.exit(work, 400, one);
    builder.enter(work, 500, one);
    builder.exit(work, 600, one);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[main]) == "1 1000 1000");
    CHECK(figures(profile.paths[threads]) == "0 0 0");
    CHECK(figures(profile.paths[work]) == "2 400 400");
    REQUIRE(profile.threads.size() == 2);
    CHECK(profile.threads[1].name == "pool");
    CHECK(profile.threads[1].start == work);
    CHECK(profile.threads[1].time_ns == 400);
    CHECK(profile.threads[1].lifetime_ns == 500);
    REQUIRE(profile.thread_paths.size() == 2);
    CHECK(profile.thread_paths[1].thread == 1);
    CHECK(profile.thread_paths[1].path == work);
}

TEST_CASE("trace profile: waiting for the writer is excluded from all times") {
    VfdBuilder builder;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t work = builder.add_stack(static_cast<std::int32_t>(main), "work");
    builder.enter(main, 0);
    builder.enter(work, 100);
    builder.exit(work, 1000);
    builder.exit(main, 1100);
    builder.add_gap({0, 1, 150, 650, 0});
    builder.add_gap({0, 1, 900, 1050, 0});  // across the end of a call
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[work]) == "1 300 300");
    CHECK(figures(profile.paths[main]) == "1 450 150");
}

TEST_CASE("trace profile: after dropped events the next one shows where the thread is") {
    VfdBuilder builder;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t a = builder.add_stack(static_cast<std::int32_t>(main), "a");
    const std::uint32_t b = builder.add_stack(static_cast<std::int32_t>(main), "b");
    builder.enter(main, 0);
    builder.enter(a, 100);
    builder.add_gap({0, 0, 200, 400, 7});
    builder.exit(b, 500);
    builder.exit(main, 600);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[a]) == "1 100 100");
    CHECK(figures(profile.paths[b]) == "0 300 300");
    CHECK(figures(profile.paths[main]) == "1 600 200");
    CHECK(warns(profile, "7 events were dropped"));
}

TEST_CASE("trace profile: exits without entry are reported") {
    VfdBuilder builder;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t other = builder.add_stack(0, "other");
    builder.enter(main, 0);
    builder.exit(other, 10);
    builder.exit(main, 20);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[main]) == "1 20 20");
    CHECK(figures(profile.paths[other]) == "0 0 0");
    CHECK(warns(profile, "1 exit in the trace belongs to a call"));
}

TEST_CASE("trace profile: thinned traces") {
    VfdBuilder builder;
    builder.numbers.interval_ns = 100;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t a = builder.add_stack(static_cast<std::int32_t>(main), "a");
    const std::uint32_t b = builder.add_stack(static_cast<std::int32_t>(main), "b");
    builder.enter(main, 0);
    builder.enter(a, 150);
    // The exit of a and the entry of b came less than an interval later. From then on nothing
    // happened.
    builder.exit(b, 1000);
    builder.exit(main, 1200);
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[a]) == "1 0 0");
    CHECK(figures(profile.paths[b]) == "0 750 750");
    CHECK(figures(profile.paths[main]) == "1 1200 150");
    REQUIRE(profile.paths.size() == 5);
    CHECK(profile.paths[4].parent == main);
    CHECK(profile.functions[profile.paths[4].function].display == "[left out]");
    CHECK(figures(profile.paths[4]) == "0 300 300");
    CHECK(warns(profile, "thinned"));
}

TEST_CASE("trace profile: only time in which events were left out is in rows of its own") {
    VfdBuilder builder;
    builder.numbers.interval_ns = 100;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t a = builder.add_stack(static_cast<std::int32_t>(main), "a");
    builder.enter(main, 0);
    builder.enter(a, 150);
    builder.exit(a, 1000);
    builder.exit(main, 1200);
    builder.add_left_out(0, {{a, 1000, 8}});  // in its first 100 ns
    const Profile profile = profile_of(builder);
    CHECK(figures(profile.paths[a]) == "1 850 750");
    CHECK(figures(profile.paths[main]) == "1 1200 350");
    REQUIRE(profile.paths.size() == 4);
    CHECK(profile.paths[3].parent == a);
    CHECK(figures(profile.paths[3]) == "0 100 100");
}

TEST_CASE("trace profile: messages of MPI calls") {
    VfdBuilder builder;
    builder.numbers.processes = 2;
    builder.numbers.rank = 1;
    const std::uint32_t main = builder.add_stack(0, "main");
    const std::uint32_t send = builder.add_stack(static_cast<std::int32_t>(main), "MPI_Send");
    builder.enter(main, 0);
    builder.enter(send, 10);
    builder.send(send, 0, 7, 10, 40);
    builder.exit(send, 50);
    builder.send(send, 0, 7, 60, 0);  // of no duration
    builder.exit(main, 60);
    const Profile profile = profile_of(builder);
    CHECK(profile.run.uses_mpi);
    CHECK(profile.run.rank == 1);
    REQUIRE(profile.ranks.size() == 1);
    CHECK(profile.ranks[0].mpi_ns == 40);
    REQUIRE(profile.messages.size() == 1);
    CHECK(profile.messages[0].path == send);
    CHECK(profile.messages[0].sent.messages == 2);
    CHECK(profile.messages[0].sent.bytes == 80);
    CHECK(profile.messages[0].sent.bandwidth_sum == Approx(1e9));
    CHECK(profile.messages[0].received.messages == 0);
}

TEST_CASE("trace profile: a trace without samples") {
    VfdBuilder builder;
    const Profile profile = profile_of(builder);
    REQUIRE(profile.paths.size() == 1);
    CHECK(profile.paths[0].calls == 0);
}
