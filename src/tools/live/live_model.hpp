// What is known at one moment about all processes that are watched together: plain data, from which
// views are computed by pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "live/live_process.hpp"
#include "live/live_tree.hpp"

namespace vftrace {

// By path: sums over all threads of all processes since they began to record.
struct PathSums {
    std::vector<std::uint64_t> calls;
    std::vector<double> exclusive;  // seconds
};

// The figures of a thread, a process or all of them. Figures of an interval are differences.
struct Totals {
    std::uint64_t calls = 0;
    std::array<double, times_in> seconds{};  // by TimeIn
    double overhead = 0;                     // seconds

    double all_seconds() const;
    Totals& operator+=(const Totals& other);
};
// Never below 0, although figures that are estimates may shrink.
Totals operator-(const Totals& now, const Totals& then);

struct ModelThread {
    std::uint32_t process;  // index of LiveModel::processes
    LiveThread now;
    Totals total, before, marked;  // since the start; at the previous moment; at the mark
};

struct ModelProcess {
    LiveFacts facts;
    Presence presence = Presence::running;
    std::string problem;
    bool writes_profile = false;
    double elapsed = 0;  // seconds of recording
    std::uint32_t threads = 0, filtered = 0;
    std::size_t nodes = 0;
    Totals total, before, marked;
};

// Messages of all processes with one rank, or within collectives.
struct ModelPeer {
    PeerFigures total, before, marked;
};

struct ModelDevice {
    std::uint32_t process;
    LiveDevice total, before, marked;
};

struct ModelTask {
    TaskFigures total, before, marked;
};

struct ModelMemory {
    MemoryFigures total, before, marked;
};

struct LiveModel {
    const LiveNames* names = nullptr;
    // By path: whether its function does not also occur further up in it.
    std::vector<bool> is_outermost;
    double elapsed = 0;   // seconds: of the process that has recorded longest
    double interval = 0;  // since the previous moment; 0: this is the first one
    bool has_mark = false;
    double since_mark = 0;  // seconds
    PathSums now, before, marked;
    std::vector<ModelProcess> processes;  // by rank, then pid
    std::vector<ModelThread> threads;
    std::vector<ModelPeer> peers;
    std::vector<ModelDevice> devices;
    std::vector<ModelTask> tasks;
    std::vector<ModelMemory> memory;

    std::uint32_t running() const;  // processes
};

}  // namespace vftrace
