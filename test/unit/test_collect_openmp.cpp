// From trees in memory to a profile: parallel regions, their teams, and tasks.
#include <catch2/catch.hpp>

#include "collected_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

TEST_CASE("a parallel region: the team's work, waiting and imbalance") {
    ProcessBuilder process;
    ThreadBuilder& main_thread = process.add_thread();
    Node& main = main_thread.region(main_thread.root(), "main", 1, 1000);
    // A region encountered by the main thread, whose share is not below a graft.
    Node& region = main_thread.openmp(main, OpenmpConstruct::parallel, 10, 800);
    main_thread.region(region, "step", 10, 500);
    main_thread.openmp(region, OpenmpConstruct::implicit_barrier, 10, 200);
    for (int i = 0; i < 3; i++) {
        ThreadBuilder& worker = process.add_thread();
        worker.record.is_worker = 1;
        worker.record.in_use = i > 0;  // ended workers are not combined
        Node& graft = worker.graft(worker.root(), &region, 10, 790);
        worker.region(graft, "step", 10, i == 2 ? 780 : 300);
        worker.openmp(graft, OpenmpConstruct::implicit_barrier, 10, i == 2 ? 5 : 485);
    }
    const Profile profile = collected(process);
    check_path(profile, "main<init", 1, 1000, 200);
    // The time of all threads in it; it was entered by one.
    check_path(profile, "omp parallel<main<init", 10, 800 + 3 * 790, 100 + 3 * 5);
    check_path(profile, "step<omp parallel<main<init", 40, 1880, 1880);
    check_path(profile, "omp implicit barrier<omp parallel<main<init", 40, 1175, 1175);
    CHECK(sum_of_exclusive(profile) == 1000 + 3 * 790);
    REQUIRE(profile.parallel_regions.size() == 1);
    const ParallelRegion& figures = profile.parallel_regions[0];
    CHECK(path_name(profile, figures.path) == "omp parallel<main<init");
    CHECK(figures.entries == 10);
    CHECK(figures.threads == 4);
    CHECK(figures.busy_ns == 600 + 305 + 305 + 785);
    CHECK(figures.busy_max_ns == 785);
    CHECK(figures.waiting_ns == 1175);
    REQUIRE(profile.threads.size() == 4);
    CHECK(profile.threads[0].parallel_ns == 800);
    CHECK(profile.threads[0].waiting_ns == 200);
    CHECK_FALSE(profile.threads[0].openmp_worker);
    CHECK(profile.threads[3].openmp_worker);
    CHECK(profile.threads[3].time_ns == 790);
    CHECK(profile.threads[3].parallel_ns == 790);
    CHECK(profile.threads[3].waiting_ns == 5);
    CHECK(profile.threads[3].start == 0);
}

TEST_CASE("the thread that encounters a region may have a graft of its own") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& main = thread.region(thread.root(), "main", 1, 1000);
    Node& region = thread.openmp(main, OpenmpConstruct::parallel, 1, 800);
    Node& graft = thread.graft(region, &region, 1, 700);
    thread.region(graft, "step", 1, 600);
    const Profile profile = collected(process);
    check_path(profile, "main<init", 1, 1000, 200);
    check_path(profile, "omp parallel<main<init", 1, 800, 200);
    check_path(profile, "step<omp parallel<main<init", 1, 600, 600);
    REQUIRE(profile.parallel_regions.size() == 1);
    CHECK(profile.parallel_regions[0].threads == 1);
    CHECK(profile.parallel_regions[0].busy_ns == 700);
    CHECK(profile.threads[0].parallel_ns == 700);
}

TEST_CASE("a task is shown where it was created, and its time is not added where it executes") {
    ProcessBuilder process;
    ThreadBuilder& creator = process.add_thread();
    Node& main = creator.region(creator.root(), "main", 1, 1000);
    Node& region = creator.openmp(main, OpenmpConstruct::parallel, 1, 900);
    Node& single = creator.openmp(region, OpenmpConstruct::single, 1, 500);
    Node& task = creator.openmp(single, OpenmpConstruct::task, 0, 0);
    Node& unused = creator.openmp(single, OpenmpConstruct::taskloop, 0, 0);
    Node& wait = creator.openmp(single, OpenmpConstruct::taskwait, 1, 300);
    // The creator executes one task itself, and another one inside it.
    Node& own = creator.graft(wait, &task, 2, 200);
    Node& body = creator.region(own, "body", 2, 190);
    Node& inner_wait = creator.openmp(body, OpenmpConstruct::taskwait, 1, 120);
    creator.region(creator.graft(inner_wait, &task, 1, 100), "body", 1, 100);
    // Another thread executes three tasks in the barrier at the end of the region.
    ThreadBuilder& worker = process.add_thread();
    worker.record.is_worker = 1;
    Node& part = worker.graft(worker.root(), &region, 1, 880);
    Node& barrier = worker.openmp(part, OpenmpConstruct::implicit_barrier, 1, 870);
    worker.region(worker.graft(barrier, &task, 3, 600), "body", 3, 600);
    CHECK(unused.number == 5);
    const Profile profile = collected(process);
    const std::string in_region = "<omp parallel<main<init", in_single = "<omp single" + in_region;
    check_path(profile, "main<init", 1, 1000, 100);
    // 900 of the creator, and 880 of the worker, whose tasks are shown below the region too.
    check_path(profile, "omp parallel" + in_region.substr(13), 1, 900 + 880, 400 + 10);
    check_path(profile, "omp single" + in_region, 1, 500, 200);
    // Six were executed; the time of the one inside the other counts once.
    check_path(profile, "omp task" + in_single, 6, 200 + 600, 10);
    // Of the wait of 300, 200 were spent on a task.
    check_path(profile, "omp taskwait" + in_single, 1, 100, 100);
    // The wait around the inner task: the task's 100 are in its own row.
    check_path(profile, "body<omp task" + in_single, 6, 190 - 100 + 100 + 600, 70 + 100 + 600);
    check_path(profile, "omp taskwait<body<omp task" + in_single, 1, 20, 20);
    check_path(profile, "omp implicit barrier" + in_region, 1, 270, 270);
    CHECK_FALSE(has_path(profile, "omp taskloop" + in_single));
    CHECK(sum_of_exclusive(profile) == 1000 + 880);
    CHECK(profile.threads[0].waiting_ns == 120);
    CHECK(profile.threads[1].waiting_ns == 270);
    REQUIRE(profile.parallel_regions.size() == 1);
    CHECK(profile.parallel_regions[0].busy_ns == 900 - 120 + 880 - 270);
}

TEST_CASE("nested parallel regions count once in a thread's parallel time") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    Node& outer = thread.openmp(thread.root(), OpenmpConstruct::parallel, 1, 100);
    Node& inner = thread.openmp(outer, OpenmpConstruct::parallel, 1, 60);
    thread.openmp(inner, OpenmpConstruct::barrier, 1, 20);
    ThreadBuilder& worker = process.add_thread();
    worker.graft(worker.root(), &inner, 1, 50);
    const Profile profile = collected(process);
    CHECK(profile.threads[0].parallel_ns == 100);
    REQUIRE(profile.parallel_regions.size() == 2);
    CHECK(profile.parallel_regions[0].busy_ns == 80);
    CHECK(profile.parallel_regions[0].threads == 1);
    CHECK(profile.parallel_regions[1].busy_ns == 90);
    CHECK(profile.parallel_regions[1].threads == 2);
}

TEST_CASE("constructs with equal names in one place are one") {
    ProcessBuilder process;
    ThreadBuilder& thread = process.add_thread();
    for (std::uintptr_t code : {0, 0x1000, 0x2000})  // in no module
        thread.add(&thread.root(), NodeKind::openmp, openmp_key(OpenmpConstruct::loop, code), 1, 5);
    const Profile profile = collected(process);
    check_path(profile, "omp for<init", 3, 15, 15);
    CHECK(profile.functions[path_named(profile, "omp for<init").function].kind == NodeKind::openmp);
}
