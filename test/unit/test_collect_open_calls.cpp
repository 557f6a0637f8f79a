// From trees in memory to a profile: open calls, and nonsensical trees.
#include <catch2/catch.hpp>

#include <random>

#include "collected_profile.hpp"
#include "record/gpu_record.hpp"

using namespace vftrace;
using namespace vftrace::test;

TEST_CASE("open calls count up to the end, or until the thread stopped") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 0);
    Node& work = thread.region(main, "work", 2, 100);
    Node& starting = thread.region(work, "starting", 1, 0);
    thread.stack({{&main, 1000, 9, 0},
                  {&work, frame_timed, 9, 3000},
                  {&work, frame_nested, 9, 3500},  // direct recursion
                  {&starting, frame_starting, 9, 3600},
                  {&work, 3700, 0, 0},   // has ended
                  {&main, 500, 9, 0}});  // left over from before
    SECTION("running") {
        const Profile profile = collected(process, 10'000);
        check_path(profile, "main<init", 1, 9000, 1900);
        check_path(profile, "work<main<init", 2, 7100, 7100);
        check_path(profile, "starting<work<main<init", 1, 0, 0);
    }
    SECTION("begun in the future") { check_path(collected(process, 900), "main<init", 1, 0, 0); }
    SECTION("paused by another thread") {
        process.record.pause_started = 8000;
        process.record.paused_ticks = 500;  // earlier pauses,
        thread.record.paused_ticks = 200;   // of which the thread has noticed this
        const Profile profile = collected(process, 10'000);
        check_path(profile, "main<init", 1, 6700, 1900);
        CHECK(profile.run.paused_ns == 2500);
    }
    SECTION("idle after the end of its team") {
        std::uint64_t end_of_team = 0;
        thread.record.open_until = &end_of_team;
        check_path(collected(process), "main<init", 1, 9000, 1900);
        end_of_team = 6000;
        check_path(collected(process), "main<init", 1, 5000, 1900);
    }
    SECTION("on another stack") {
        Node& fiber = thread.region(main, "fiber", 1, 0);
        thread.stack({{&fiber, frame_timed, 9, 4000}}).suspended_at = 4500;
        check_path(collected(process), "fiber<main<init", 1, 500, 500);
    }
    SECTION("folded") {
        Node& inner = thread.region(work, "inner", 1, 0);
        thread.stack({{&main, frame_nested, 9, 0},
                      {&inner, frame_timed, 9, 9000},
                      {&work, frame_fold, 9, 9900},
                      {&inner, 9950, 9, 0}});
        const Profile profile = collected(process);
        check_path(profile, "inner<work<main<init", 1, 950, 950);
        // 7000 of the first stack and 100 of closed calls, minus 900 + 50 in inner.
        check_path(profile, "work<main<init", 2, 7100, 6150);
    }
}

TEST_CASE("an open pause lasts until the end") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 0);
    Node& pause = thread.add(&main, NodeKind::pause, 77, 1, 300);
    thread.stack({{&main, 1000, 9, 0}, {&pause, frame_paused, 9, 7000}});
    process.record.pause_started = 7000;
    Profile profile = collected(process, 10'000);
    check_path(profile, "main<init", 1, 6000, 6000);
    check_path(profile, "vftrace_pause<main<init", 1, 3300, 3300);
    CHECK(profile.threads[0].time_ns == 6000);
    // Another thread ended it at 8000; this thread has not noticed.
    process.record.pause_started = 0;
    process.record.paused_ticks = 1000;
    profile = collected(process, 10'000);
    check_path(profile, "main<init", 1, 8000, 8000);
    check_path(profile, "vftrace_pause<main<init", 1, 1300, 1300);
    CHECK(profile.run.paused_ns == 1000);
}

TEST_CASE("a process that has recorded nothing has a root") {
    ProcessBuilder process;
    CHECK(collected(process).paths.size() == 1);
    process.add_thread();
    const Profile profile = collected(process);
    CHECK(profile.paths.size() == 1);
    CHECK(profile.threads.empty());
    CHECK(profile.run.threads == 1);
}

TEST_CASE("circular lists come to an end") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 100);
    Node& work = thread.region(main, "work", 1, 50);
    work.next_created = &main;
    CHECK(collected(process).paths.size() == 3);
    thread.record.root->number = 7;
    CHECK(collected(process).paths.size() == 1);
}

TEST_CASE("nonsensical trees do no harm") {
    std::mt19937_64 random(4);
    auto below = [&](std::uint64_t limit) { return random() % limit; };
    auto any_number = [&] { return random() >> below(64); };
    const GpuCallName gpu_call{GpuApi::runtime, 31, "cudaMemcpy", nullptr, nullptr};
    for (int round = 0; round < 300; round++) {
        ProcessBuilder process;
        std::vector<Node*> all;
        for (std::uint64_t i = 0, threads = 1 + below(6); i < threads; i++) {
            ThreadBuilder& thread = process.add_thread();
            all.push_back(thread.record.root);
            for (std::uint64_t n = below(30); n > 0; n--) {
                auto kind = static_cast<NodeKind>(below(11));
                std::uintptr_t key = any_number();
                if (kind == NodeKind::region)
                    key = reinterpret_cast<std::uintptr_t>("region");
                else if (kind == NodeKind::gpu)
                    key = reinterpret_cast<std::uintptr_t>(&gpu_call);
                else if (kind == NodeKind::graft)
                    key = below(5) ? reinterpret_cast<std::uintptr_t>(all[below(all.size())]) : 0;
                else if (kind == NodeKind::openmp)
                    key = openmp_key(static_cast<OpenmpConstruct>(below(40)), below(1000));
                // Parents in the same thread; any number is given as flags.
                Node& parent = thread.nodes()[below(thread.nodes().size())];
                Node& node = thread.add(&parent, kind, key, any_number(), any_number());
                node.flags = static_cast<std::uint8_t>(random());
                node.module = static_cast<std::uint16_t>(random());
                all.push_back(&node);
            }
            for (std::uint64_t n = below(3); n > 0; n--) {
                auto frame = [&] {
                    return Frame{all[below(all.size())], below(2) ? below(16) : any_number(),
                                 random(), any_number()};
                };
                thread.stack({frame(), frame(), frame()}).suspended_at =
                    below(2) ? 0 : any_number();
            }
            thread.record.threads = any_number();
            thread.record.lived_ticks = any_number();
            thread.record.started = any_number();
            thread.record.paused_ticks = any_number();
            thread.record.in_use = static_cast<std::uint8_t>(below(2));
            thread.record.is_worker = static_cast<std::uint8_t>(below(2));
            thread.record.dropped_calls = any_number();
            std::memset(thread.record.name, 'x', sizeof thread.record.name);
        }
        if (below(4) == 0)
            all[below(all.size())]->number = static_cast<std::uint32_t>(below(100));
        process.record.paused_ticks = any_number();
        process.record.pause_started = below(2) ? 0 : any_number();
        const Profile profile = collected(process, any_number());
        REQUIRE(profile.paths.size() >= 1);
        for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
            const Path& path = profile.paths[i];
            CHECK((i == 0 ? path.parent == no_index : path.parent < i));
            CHECK(path.function < profile.functions.size());
            CHECK(path.exclusive_ns >= 0);
            CHECK(path.inclusive_ns >= 0);
        }
        for (const ThreadFigures& thread : profile.threads)
            CHECK(thread.start < profile.paths.size());
        for (const ThreadPath& path : profile.thread_paths)
            CHECK((path.thread < profile.threads.size() && path.path < profile.paths.size()));
        for (const ParallelRegion& region : profile.parallel_regions)
            CHECK(region.path < profile.paths.size());
    }
}
