// The profile of a program with a parallel region on four threads, one of which has the most work,
// a separate thread named "output", and eight short ones that all started in the same way.
#pragma once

#include "profile/profile.hpp"
#include "sample_profile.hpp"

namespace vftrace::test {

inline Profile thread_sample_profile() {
    constexpr std::int64_t ms = 1'000'000;
    Profile profile;
    profile.run = sample_profile().run;
    profile.run.runtime_ns = 2'000 * ms;
    profile.run.threads = 13;
    profile.modules = {{"/home/user/heat", "0123456789abcdef"}};
    auto function = [&](const char* name, NodeKind kind) {
        Function f;
        f.name = f.display = name;
        f.kind = kind;
        profile.functions.push_back(f);
    };
    function("init", NodeKind::root);
    function("main", NodeKind::function);
    function("omp parallel @heat.c:42", NodeKind::openmp);
    profile.functions.back().file = "/home/user/heat.c";
    profile.functions.back().line = 42;
    function("step", NodeKind::function);
    function("omp implicit barrier @heat.c:42", NodeKind::openmp);
    function("[thread]", NodeKind::thread);
    function("write_frames", NodeKind::function);
    function("check", NodeKind::function);

    auto path = [&](std::uint32_t parent, std::uint32_t function, std::uint32_t stid,
                    std::uint64_t calls, std::int64_t exclusive, std::int64_t inclusive) {
        add_path(profile, parent, function, stid, calls, exclusive * ms, inclusive * ms);
    };
    path(no_index, 0, 5, 0, 0, 0);
    path(0, 1, 3, 1, 200, 2'000);
    path(1, 2, 0, 100, 40, 7'200);
    path(2, 3, 1, 400, 5'160, 5'160);
    path(2, 4, 6, 400, 2'000, 2'000);
    path(1, 5, 2, 9, 1, 820);
    path(5, 6, 7, 1, 499, 499);
    path(5, 7, 4, 8, 320, 320);

    auto thread = [&](std::uint32_t number, const char* name, std::uint32_t start, bool worker,
                      std::uint64_t threads, std::uint64_t calls, std::int64_t time,
                      std::int64_t parallel, std::int64_t waiting, std::int64_t lifetime) {
        profile.threads.push_back({0, number, name, start, worker, threads, calls, time * ms,
                                   parallel * ms, waiting * ms, lifetime * ms});
    };
    thread(0, "", 1, false, 1, 301, 2'000, 1'800, 100, 2'000);
    thread(1, "", 0, true, 1, 200, 1'800, 1'800, 600, 1'990);
    thread(2, "", 0, true, 1, 200, 1'800, 1'800, 640, 1'990);
    thread(3, "", 0, true, 1, 200, 1'800, 1'800, 660, 1'990);
    thread(4, "output", 6, false, 1, 2, 500, 0, 0, 510);
    thread(5, "", 7, false, 8, 16, 320, 0, 0, 340);
    profile.thread_paths = {{0, 1, 1, 2'000 * ms, 200 * ms},     {0, 2, 100, 1'800 * ms, 10 * ms},
                            {0, 3, 100, 1'690 * ms, 1'690 * ms}, {0, 4, 100, 100 * ms, 100 * ms},
                            {1, 2, 0, 1'800 * ms, 10 * ms},      {4, 6, 1, 499 * ms, 499 * ms},
                            {5, 7, 8, 320 * ms, 320 * ms}};
    profile.parallel_regions = {{2, 100, 4, 5'200 * ms, 1'700 * ms, 2'000 * ms}};
    return profile;
}

}  // namespace vftrace::test
