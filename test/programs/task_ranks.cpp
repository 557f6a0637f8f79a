// Queries the figures of its own tasks while they run, on a clock that it sets itself.
#include <cstdio>
#include <thread>

#include "set_clock.h"
#include <vftrace/task_ranks.hpp>

static void print(const char* when) {
    std::printf("%s\n", when);
    for (const vftrace::task_rank& rank : vftrace::task_ranks())
        std::printf("  %s|%s:%d own %g with %g wall %g paused %g longest %g run %g: created %d "
                    "completed %d failed %d cancelled %d stillborn %d pauses %d\n",
                    rank.type.c_str(), rank.file.c_str(), rank.line, rank.own_s,
                    rank.with_children_s, rank.wall_s, rank.paused_s, rank.longest_task_s,
                    rank.longest_run_s, static_cast<int>(rank.created),
                    static_cast<int>(rank.completed), static_cast<int>(rank.failed),
                    static_cast<int>(rank.cancelled), static_cast<int>(rank.stillborn),
                    static_cast<int>(rank.pauses));
}

int main() {
    print("before");
    const auto session = vftrace_task_create("session \"\\\n", "/src/a\\b.cpp", 12);
    vftrace_task_run(session);
    take(1);
    const auto parse = vftrace_task_create("parse(int)", "parse.cpp", 7);
    vftrace_task_run(parse);
    take(2);
    print("while it runs");
    vftrace_task_pause(parse);
    take(4);
    std::thread([] { print("on another thread"); }).join();
    vftrace_task_run(parse);
    take(8);
    vftrace_task_complete(parse);
    vftrace_task_fail(session);
    vftrace_task_cancel(vftrace_task_create("never (really)", nullptr, 0));
    print("at the end");
    return 0;
}
