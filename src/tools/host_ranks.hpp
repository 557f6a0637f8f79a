// The ranks of a job on this host: where each is, and whether it makes progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/live_process.hpp"
#include "rollcall/roll_call.hpp"

namespace vftrace::tools {

// What the tree files of the processes show. The processes themselves are not queried.
class HostRanks {
  public:
    // `levels`: how many functions of a path distinguish places.
    explicit HostRanks(std::size_t levels) : levels_(levels) {}

    // The processes with these numbers. Those that cannot be watched become problems.
    void add_processes(const std::vector<std::int64_t>& pids);
    // All processes of a job on this host. `job`: what the launcher calls it (or the beginning of
    // that, up to a dot), or the name of the program; "": the only one that there is. Throws
    // CommandError if there are several.
    void add_job(const std::string& job, const std::string& tree_directory);
    // Tree files of processes that have ended, or copies.
    void add_files(const std::vector<std::string>& paths);

    // Reads what has changed.
    void refresh();

    bool empty() const { return ranks_.empty(); }
    // Whether at least one process runs.
    bool any_runs() const;
    // Whether none of those that run has made progress for so long: no call was counted but those
    // that only asked MPI, and no thread computed outside of calls that wait.
    bool all_stuck(double seconds) const;

    RollCall roll_call() const;

    // The launcher's name of the job, or the name of the program; and a process of it, 0 if there
    // is none.
    std::string job() const;
    std::int64_t any_pid() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Rank {
        std::unique_ptr<LiveProcess> process;
        bool recorded = false;  // a file: nothing is known but what is in it
        std::uint64_t calls = 0, polls = 0, processor_ns = 0;
        Clock::time_point progress{}, looked{};
        double busy = 0;  // share of the time since the last look that the shown thread computed
    };

    void add(const FoundProcess& found, bool recorded, std::vector<std::string>& problems);
    void look_at(Rank& rank);
    RankPlace place_of(const Rank& rank) const;
    const LiveThread* shown_thread(const Rank& rank) const;
    bool is_waiting(const LiveThread& thread) const;

    std::size_t levels_;
    LiveNames names_;
    std::vector<Rank> ranks_;
    std::vector<std::string> problems_;
    std::vector<std::string> strangers_;  // processes that cannot be watched, perhaps of the job
};

}  // namespace vftrace::tools
