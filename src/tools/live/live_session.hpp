// Watches several processes together, moment by moment.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "live/live_model.hpp"

namespace vftrace {

class LiveSession {
  public:
    // Watches one more process. Throws NotWatchable.
    void add(const FoundProcess& found);

    // Reads all processes. A process that has become another program is watched as the new program
    // as soon as that has a tree file.
    void refresh();

    // Sets a mark: figures since the mark start here. The latest mark counts: this one, or one that
    // `vftrace mark` has set in a process, which refresh() finds.
    void mark();

    // As of the last refresh().
    const LiveModel& model() const { return model_; }

    bool has(std::int64_t pid) const;

  private:
    using Clock = std::chrono::steady_clock;
    // The figures of a process at its mark; empty if the process began after the mark.
    struct Marked {
        double elapsed = 0;  // seconds of recording until then
        PathSums paths;
        Totals total;
        std::vector<Totals> threads;
        std::vector<LiveDevice> devices;
        std::vector<PeerFigures> peers;
        std::vector<TaskFigures> tasks;
        std::vector<MemoryFigures> memory;
    };
    static Marked marked_at(const LiveTree& tree, std::size_t paths);
    struct Watched {
        std::unique_ptr<LiveProcess> process;
        Totals before;
        std::vector<Totals> threads_before;
        std::vector<LiveDevice> devices_before;
        Marked marked;
    };
    void follow_programs();
    void look_for_marks();
    void add_marks();
    void add_process(Watched& watched, std::uint32_t index);

    LiveNames names_;
    std::vector<Watched> watched_;
    std::vector<PeerFigures> peers_before_, peers_marked_;
    std::vector<TaskFigures> tasks_before_, tasks_marked_;
    std::vector<MemoryFigures> memory_before_, memory_marked_;
    LiveModel model_;
    Clock::time_point refreshed_{};
};

}  // namespace vftrace
