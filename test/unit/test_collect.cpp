// From trees in memory to a profile: the attribution of time, and where threads are shown.
#include <catch2/catch.hpp>

#include "collected_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

TEST_CASE("one thread: exclusive times are what callees leave over") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 1000);
    Node& work = thread.region(main, "work", 3, 600);
    thread.region(work, "leaf", 30, 250);
    Node& pause = thread.add(&main, NodeKind::pause, 77, 2, 5000);
    work.flags = node_closed_without_exit;
    process.record.paused_ticks = 5000;
    const Profile profile = collected(process);
    check_path(profile, "init", 0, 0, 0);
    check_path(profile, "main<init", 1, 1000, 400);
    check_path(profile, "work<main<init", 3, 600, 350);
    check_path(profile, "leaf<work<main<init", 30, 250, 250);
    check_path(profile, "vftrace_pause<main<init", 2, 5000, 5000);
    CHECK(path_named(profile, "work<main<init").flags == path_closed_without_exit);
    CHECK(path_named(profile, "vftrace_pause<main<init").flags == path_paused);
    CHECK(profile.run.paused_ns == 5000);
    CHECK(profile.run.threads == 1);
    REQUIRE(profile.threads.size() == 1);
    CHECK(profile.threads[0].time_ns == 1000);
    CHECK(profile.threads[0].calls == 34);
    CHECK(path_name(profile, profile.threads[0].start) == "main<init");
    CHECK(profile.thread_paths.empty());
    CHECK(profile.parallel_regions.empty());
    CHECK(pause.number == 4);
}

TEST_CASE("if a signal handler jumps out of a call before its clock was read, the call has the "
          "handler's time") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 1000);
    Node& work = thread.add(&main, NodeKind::function, 0x1000, 1, 0);
    Node& handler = thread.add(&work, NodeKind::function, 0x2000, 1, 70);
    thread.add(&handler, NodeKind::function, 0x3000, 1, 20);
    const Profile profile = collected(process);
    REQUIRE(profile.paths.size() == 5);
    CHECK(profile.paths[2].inclusive_ns == 70);
    CHECK(profile.paths[2].exclusive_ns == 0);
    CHECK(profile.paths[3].inclusive_ns == 70);
    CHECK(profile.paths[3].exclusive_ns == 50);
    check_path(profile, "main<init", 1, 1000, 930);
    CHECK(sum_of_exclusive(profile) == 1000);
}

TEST_CASE("folded recursion: levels are booked where they were folded into") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    // a calls b, which calls a again, folded into the first one: 40 of 50 ticks in b.
    Node& a = thread.region(thread.root(), "a", 1, 100);
    Node& b = thread.region(a, "b", 1, 50);
    Node& alias = thread.add(&b, NodeKind::alias, a.key, 1, 40);
    alias.last_callee = &a;
    a.flags = node_recursion_folded;
    const Profile profile = collected(process);
    REQUIRE(profile.paths.size() == 3);
    check_path(profile, "a<init", 2, 100, 90);
    check_path(profile, "b<a<init", 1, 10, 10);
    CHECK(path_named(profile, "a<init").flags == path_recursion_folded);
    CHECK(sum_of_exclusive(profile) == 100);
}

TEST_CASE("folded recursion: the sum of nested times may exceed the range of a number") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    constexpr std::uint64_t all = ~std::uint64_t{0} - 5;
    Node& a = thread.region(thread.root(), "a", 1, 100);
    Node& b = thread.region(a, "b", 20, all + 60);
    Node& alias = thread.add(&b, NodeKind::alias, a.key, 20, all);
    alias.last_callee = &a;
    const Profile profile = collected(process);
    check_path(profile, "a<init", 21, 100, 40);
    check_path(profile, "b<a<init", 20, 60, 60);
}

TEST_CASE("a thread is below its creator and adds nothing to the creator's time") {
    ProcessBuilder process;
    ThreadBuilder& creator = process.add_thread();
    Node& main = creator.region(creator.root(), "main", 1, 1000);
    Node& spawn = creator.region(main, "spawn", 1, 100);
    Node& place = creator.thread_place(spawn);
    creator.thread_place(main);  // pthread_create failed
    ThreadBuilder& worker = process.add_thread();
    worker.record.start = &place;
    Node& graft = worker.graft(worker.root(), &place, 1, 700);
    Node& work = worker.region(graft, "work", 1, 690);
    // What a thread that was created by a thread does.
    ThreadBuilder& second = process.add_thread();
    Node& inner_place = worker.thread_place(work);
    Node& inner_graft = second.graft(second.root(), &inner_place, 1, 300);
    second.region(inner_graft, "tail", 2, 300);
    const Profile profile = collected(process);
    check_path(profile, "main<init", 1, 1000, 900);
    check_path(profile, "spawn<main<init", 1, 100, 100);
    check_path(profile, "[thread]<spawn<main<init", 1, 700, 10);
    check_path(profile, "work<[thread]<spawn<main<init", 1, 690, 690);
    check_path(profile, "[thread]<work<[thread]<spawn<main<init", 1, 300, 0);
    check_path(profile, "tail<[thread]<work<[thread]<spawn<main<init", 2, 300, 300);
    CHECK(profile.paths.size() == 7);
    CHECK_FALSE(has_path(profile, "[thread]<main<init"));
    CHECK(sum_of_exclusive(profile) == 2000);
    CHECK(profile.run.threads == 3);
    REQUIRE(profile.threads.size() == 3);
    CHECK(profile.threads[0].time_ns == 1000);
    CHECK(profile.threads[1].time_ns == 700);
    CHECK(profile.threads[1].calls == 1);
    CHECK(path_name(profile, profile.threads[2].start) ==
          "tail<[thread]<work<[thread]<spawn<main<init");
    // What each thread did in which path.
    REQUIRE(profile.thread_paths.size() == 6);
    const ThreadPath& last = profile.thread_paths.back();
    CHECK(last.thread == 2);
    CHECK(path_name(profile, last.path) == "tail<[thread]<work<[thread]<spawn<main<init");
    CHECK(last.calls == 2);
    CHECK(last.inclusive_ns == 300);
    CHECK(last.exclusive_ns == 300);
}

TEST_CASE("grafts find their targets in whatever order threads are looked at") {
    ProcessBuilder process;
    constexpr std::uint32_t length = 50;
    Node* place = nullptr;
    for (std::uint32_t i = 0; i < length; i++) {
        ThreadBuilder& thread = process.add_thread();
        Node& below = place ? thread.graft(thread.root(), place, 1, 10) : thread.root();
        place = &thread.thread_place(thread.region(below, "link", 1, 10));
    }
    ThreadBuilder& last = process.add_thread();
    last.region(last.graft(last.root(), place, 1, 5), "end", 1, 5);
    for (const bool reversed : {false, true}) {
        for (ThreadBuilder& thread : process.threads())
            thread.record.number = reversed ? length - thread.record.number : thread.record.number;
        const Profile profile = collected(process);
        CHECK(profile.paths.size() == 2 * length + 2);
        std::string chain = "end";
        for (std::uint32_t i = 0; i < length; i++)
            chain += "<[thread]<link";
        check_path(profile, chain + "<init", 1, 5, 5);
    }
}

TEST_CASE("a graft whose target is lost is below init") {
    ProcessBuilder process;
    ThreadBuilder& first = process.add_thread();
    ThreadBuilder& second = process.add_thread();
    Node& lost = first.graft(first.root(), nullptr, 1, 10);
    first.region(lost, "work", 1, 10);
    // Two grafts that refer to each other.
    Node& one = first.graft(first.root(), nullptr, 1, 10);
    Node& two = second.graft(second.root(), &one, 1, 20);
    one.key = reinterpret_cast<std::uintptr_t>(&two);
    second.region(two, "other", 1, 20);
    Node stranger{};
    first.region(first.graft(first.root(), &stranger, 1, 3), "stranger", 1, 3);
    const Profile profile = collected(process);
    check_path(profile, "work<init", 1, 10, 10);
    check_path(profile, "other<init", 1, 20, 20);
    check_path(profile, "stranger<init", 1, 3, 3);
}

TEST_CASE("ended threads with the same start and name are one row") {
    ProcessBuilder process;
    ThreadBuilder& main = process.add_thread();
    Node& place = main.thread_place(main.region(main.root(), "main", 1, 1000));
    for (int i = 0; i < 6; i++) {
        ThreadBuilder& thread = process.add_thread();
        Node& graft = thread.graft(thread.root(), &place, 2, 100);
        thread.region(graft, i == 5 ? "other" : "work", 2, 90);
        thread.region(graft, "destructor of thread-local data", 2, 5);
        thread.record.threads = 2;
        thread.record.in_use = i == 4;
        thread.record.lived_ticks = 110;
        thread.record.started = i == 4 ? 9'000 : 0;
        if (i == 3)
            thread.set_name("output");
    }
    const Profile profile = collected(process);
    REQUIRE(profile.threads.size() == 5);
    CHECK(profile.run.threads == 13);
    CHECK(profile.threads[1].number == 1);
    CHECK(profile.threads[1].threads == 6);
    CHECK(profile.threads[1].calls == 12);
    CHECK(profile.threads[1].time_ns == 300);
    CHECK(profile.threads[1].lifetime_ns == 330);
    CHECK(path_name(profile, profile.threads[1].start) == "work<[thread]<main<init");
    CHECK(profile.threads[2].name == "output");
    CHECK(profile.threads[3].number == 5);  // still runs
    CHECK(profile.threads[3].lifetime_ns == 1110);
    CHECK(path_name(profile, profile.threads[4].start) == "other<[thread]<main<init");
    std::int64_t sum = 0;
    for (const ThreadPath& path : profile.thread_paths)
        sum += path.thread == 1 ? path.exclusive_ns : 0;
    CHECK(sum == 300);
}
