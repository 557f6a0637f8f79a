// A model of two watched ranks, for views.
#pragma once

#include <vector>

#include "live/live_model.hpp"
#include "record/message_figures.hpp"

namespace vftrace::test {

struct LiveSample {
    LiveNames names;
    LiveModel model;
    std::uint32_t main_path, solve, norm, allreduce, read_mesh;

    LiveSample() {
        const auto named = [&](const char* name, NodeKind kind = NodeKind::region,
                               TimeIn time_in = TimeIn::code) {
            return names.functions.named(kind, name, time_in);
        };
        const std::uint32_t root = names.paths.below(no_path, named("init", NodeKind::root));
        main_path = names.paths.below(root, named("main"));
        solve = names.paths.below(main_path, named("solve"));
        norm = names.paths.below(solve, named("norm"));
        allreduce = names.paths.below(norm, named("MPI_Allreduce", NodeKind::mpi, TimeIn::mpi));
        read_mesh =
            names.paths.below(main_path, named("r\xc3\xa9sum\xc3\xa9 \xe7\xbd\x91\xe6\xa0\xbc"));
        model.names = &names;
        model.is_outermost.assign(names.paths.all().size(), true);
        model.elapsed = 3723;
        model.interval = 2;
        model.now = {{0, 2, 40, 4'000'000, 4'000'000, 1}, {0, 1, 20, 30, 60, 83}};
        model.before = {{0, 2, 38, 3'800'000, 3'800'000, 1}, {0, 1, 19, 29, 58.5, 81}};
        model.marked = {{}, {}};
        add_rank(0, Presence::running);
        add_rank(1, Presence::running);
        add_thread(0, 0, "", {main_path, solve, norm, allreduce}, 0.25, false);
        add_thread(1, 0, "", {main_path, read_mesh}, 83, false);
        add_thread(1, 1, "worker-1", {read_mesh}, 61, true);
        model.threads.back().now.state = "waits: lock";
        add_thread(1, 2, "worker-2", {}, 0, false);
        model.peers.push_back({{1, 100, 50, 100'000, 400}, {1, 80, 50, 20'000, 400}, {1}});
        model.peers.push_back({{all_peers, 7, 7, 56, 56}, {all_peers}, {all_peers}});
    }
    LiveSample(const LiveSample&) = delete;
    LiveSample& operator=(const LiveSample&) = delete;

    void add_rank(std::uint32_t rank, Presence presence) {
        ModelProcess process;
        process.facts.pid = 4000 + rank;
        process.facts.rank = rank;
        process.facts.ranks = 2;
        process.facts.uses_mpi = true;
        process.facts.application = "heat";
        process.facts.host = "n17";
        process.presence = presence;
        process.elapsed = 3723;
        process.threads = rank == 0 ? 1 : 3;
        process.filtered = 3;
        process.total = {4'000'000, {50, 50, 0, 0}, 1};
        process.before = {3'800'000, {49.5, 48.5, 0, 0}, 0.99};
        model.processes.push_back(process);
    }

    void add_thread(std::uint32_t process, std::uint32_t number, const char* name,
                    const std::vector<std::uint32_t>& open, double seconds, bool at_least) {
        ModelThread thread{};
        thread.process = process;
        thread.now.number = number;
        thread.now.name = name;
        thread.now.in_use = true;
        for (std::uint32_t path : open)
            thread.now.open.push_back({path, seconds, at_least});
        thread.total = {1000, {2, 2, 0, 0}, 0};
        thread.before = {800, {1, 1, 0, 0}, 0};
        model.threads.push_back(thread);
    }
};

}  // namespace vftrace::test
