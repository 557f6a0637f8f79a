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

// The data come from the tree files of the processes, and from the kernel. The processes themselves
// are not queried.
class HostRanks {
  public:
    // `levels`: how many functions of a path are compared to distinguish places.
    explicit HostRanks(std::size_t levels) : levels_(levels) {}

    // The processes with these numbers. Those that cannot be watched are listed as problems.
    void add_processes(const std::vector<std::int64_t>& pids);
    // All processes of a job on this host. `job`: the launcher's name of the job (or its beginning,
    // up to a dot), or the name of the program; "": the only job on this host. Throws CommandError
    // if there are several.
    void add_job(const std::string& job, const std::string& tree_directory);
    // Tree files of processes that have ended, or copies.
    void add_files(const std::vector<std::string>& paths);

    // Reads changes.
    void refresh();

    bool empty() const { return ranks_.empty(); }
    // Whether at least one process runs.
    bool any_runs() const;
    // Whether none of the running processes has made progress for this time: no calls were counted
    // except those that only query MPI, and no thread computed outside of calls that wait.
    bool all_stuck(double seconds) const;

    RollCall roll_call() const;

    // The launcher's name of the job, or the name of the program; and one of its processes, 0 if
    // there is none. Only of processes of this user or of root, because both decide what is run on
    // other hosts.
    std::string job() const;
    std::int64_t any_pid() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Rank {
        std::unique_ptr<LiveProcess> process;
        bool recorded = false;  // from a file: only its contents are known
        std::uint64_t calls = 0, polls = 0, processor_ns = 0;
        Clock::time_point progress{}, looked{};
        double busy = 0;  // share of the time since the last look used by the shown thread
    };

    void add(const FoundProcess& found, bool recorded, std::vector<std::string>& problems);
    void look_at(Rank& rank);
    RankPlace place_of(const Rank& rank) const;
    const LiveFacts* trusted() const;
    const LiveThread* shown_thread(const Rank& rank) const;
    bool is_waiting(const LiveThread& thread) const;

    std::size_t levels_;
    LiveNames names_;
    std::vector<Rank> ranks_;
    std::vector<std::string> problems_;
    std::vector<std::string> strangers_;  // cannot be watched; may belong to the job
};

}  // namespace vftrace::tools
