// A profile like that of a small serial program with a region, a pause and a C++ function.
#pragma once

#include "profile/profile.hpp"

namespace vftrace::test {

// Times in nanoseconds.
inline Path& add_path(Profile& profile, std::uint32_t parent, std::uint32_t function,
                      std::uint32_t stid, std::uint64_t calls, std::int64_t exclusive,
                      std::int64_t inclusive) {
    Path path;
    path.parent = parent;
    path.function = function;
    path.stid = stid;
    path.calls = calls;
    path.exclusive_ns = exclusive;
    path.inclusive_ns = inclusive;
    return profile.paths.emplace_back(path);
}

inline Profile sample_profile() {
    constexpr std::int64_t ms = 1'000'000;
    Profile profile;
    RunInfo& run = profile.run;
    run.application = "heat";
    run.command_line = "./heat --cells 100";
    run.host = "node17";
    run.pid = 4711;
    run.start_unix_ns = 1'795'224'770'123'456'789;
    run.end_unix_ns = 1'795'224'770'343'456'789;
    run.runtime_ns = 220 * ms;
    run.overhead = {{OverheadKind::function_hooks, 2 * ms}};
    run.memory_bytes = 73226;
    run.config_text = "{\n   \"off\": false\n}\n";
    profile.modules = {{"/home/user/heat", "0123456789abcdef"}};

    auto function = [&](const char* name, NodeKind kind) {
        Function f;
        f.name = f.display = name;
        f.kind = kind;
        if (kind == NodeKind::function) {
            f.symbol = name;
            f.module = 0;
            f.offset = 0x1000 + 16 * profile.functions.size();
            f.file = "heat.c";
            f.line = static_cast<std::uint32_t>(10 + profile.functions.size());
        }
        profile.functions.push_back(f);
    };
    function("init", NodeKind::root);
    function("main", NodeKind::function);
    function("mid", NodeKind::function);
    function("spin", NodeKind::function);
    function("my region", NodeKind::region);
    function("leaf", NodeKind::function);

    auto path = [&](std::uint32_t parent, std::uint32_t function, std::uint32_t stid,
                    std::uint64_t calls, std::int64_t exclusive, std::int64_t inclusive) {
        add_path(profile, parent, function, stid, calls, exclusive, inclusive).hash =
            0x01aac7750f9eb16b + (static_cast<std::uint64_t>(stid) << 48);
    };
    path(no_index, 0, 10, 0, 0, 0);
    path(0, 1, 4, 1, 0, 213 * ms);
    path(1, 2, 0, 3, 0, 131 * ms);
    path(2, 3, 11, 3, 89 * ms, 89 * ms);
    path(2, 5, 2, 3, 0, 42 * ms);
    path(4, 3, 5, 3, 42 * ms, 42 * ms);
    path(1, 4, 7, 1, 0, 10 * ms);
    path(6, 5, 8, 1, 0, 10 * ms);
    path(7, 3, 1, 1, 10 * ms, 10 * ms);
    path(1, 5, 9, 3, 0, 72 * ms);
    path(9, 3, 6, 3, 72 * ms, 72 * ms);
    return profile;
}

// Adds the path vftrace_pause<main<init with a paused time in ns and the STID 12.
inline void add_pause(Profile& profile, std::int64_t ns) {
    Function pause;
    pause.name = pause.display = "vftrace_pause";
    pause.kind = NodeKind::pause;
    profile.functions.push_back(pause);
    Path path;
    path.parent = 1;
    path.function = static_cast<std::uint32_t>(profile.functions.size() - 1);
    path.stid = 12;
    path.calls = 1;
    path.flags = path_paused;
    path.inclusive_ns = path.exclusive_ns = ns;
    profile.paths.push_back(path);
    profile.run.paused_ns += ns;
}

}  // namespace vftrace::test
