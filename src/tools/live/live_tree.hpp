// The call trees of all threads of a process, which are read repeatedly from its tree file.
//
// Nodes are never removed and their callers never change, so a node is read in full when it is new,
// and its path is determined. From then on, only its counters are of interest. They are compared
// with their previous values in the order of the nodes in the file, in one pass of large reads with
// about ten instructions per node. Only changed nodes, and those above them, are computed again.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collate/openmp_names.hpp"
#include "live/live_file.hpp"
#include "live/live_process.hpp"
#include "record/open_calls.hpp"

namespace vftrace {

// Of a path, in one process.
struct PathFigures {
    std::uint32_t path;
    std::uint64_t calls;
    double exclusive;  // seconds
};

// MPI messages to and from one peer.
struct PeerFigures {
    std::int32_t peer;  // rank, or all_peers, unknown_peer
    std::uint64_t sent = 0, received = 0, bytes_sent = 0, bytes_received = 0;

    PeerFigures& operator+=(const PeerFigures& other) {
        sent += other.sent;
        received += other.received;
        bytes_sent += other.bytes_sent;
        bytes_received += other.bytes_received;
        return *this;
    }
};

struct LiveDevice {
    std::uint32_t number;
    std::string name;
    double kernel_seconds, copy_seconds, overlap_seconds;
};

// What a path has allocated; there may be several of one path, to be added up.
struct MemoryFigures {
    std::uint32_t path;
    double allocated, calls, live;  // bytes, allocations, bytes not freed

    MemoryFigures& operator+=(const MemoryFigures& other) {
        allocated += other.allocated;
        calls += other.calls;
        live += other.live;
        return *this;
    }
};

// Asynchronous tasks that were created on a path; there may be several of one path, to be added up.
struct TaskFigures {
    std::uint32_t path;
    std::uint64_t created, ended, failed, pauses;

    TaskFigures& operator+=(const TaskFigures& other) {
        created += other.created;
        ended += other.ended;
        failed += other.failed;
        pauses += other.pauses;
        return *this;
    }
};

class LiveTree {
  public:
    // What is read: the process as it is now, or its mark (recover/mark_file.hpp), which does not
    // change.
    enum class Of : std::uint8_t { now, mark };

    // Throws TreeFileError.
    LiveTree(const FoundProcess& found, LiveNames& names, Of of = Of::now);

    // Throws TreeFileError if the file as a whole is damaged; in spite of smaller damage, the rest
    // is read.
    void refresh();

    const ProcessRecord& record() const { return file_.record(); }
    LiveFile& file() { return file_; }
    const std::vector<LiveThread>& threads() const { return threads_; }
    std::size_t node_count() const { return nodes_.size(); }
    double elapsed_seconds() const { return elapsed_; }

    // The overhead of the program: seconds of all threads.
    double overhead_seconds() const { return overhead_; }
    std::uint64_t calls() const { return calls_; }  // of all threads

    // Adds the figures of all nodes to those of their paths: two arrays of at least as many items
    // as there are paths.
    void add_to(std::vector<std::uint64_t>& calls, std::vector<double>& exclusive) const;
    // Adds only the changes since the last call of this function.
    void add_changes_to(std::vector<std::uint64_t>& calls, std::vector<double>& exclusive);

    const std::vector<PeerFigures>& peers() const { return peers_; }
    const std::vector<LiveDevice>& devices() const { return devices_; }
    const std::vector<TaskFigures>& tasks() const { return tasks_; }
    const std::vector<MemoryFigures>& memory() const { return memory_; }

  private:
    struct NodeState {
        std::uint64_t offset;  // in the file
        std::uint32_t parent;  // index; itself: the root
        std::uint32_t path;    // of LivePaths
        std::uint32_t thread;  // index
        std::uint32_t target;  // of an alias: index of the node to which its calls belong
        NodeKind kind;
        TimeIn time_in;
        std::uint8_t flags;    // NodeFlag
        bool counts;           // its calls count as calls of its path
        bool thinned = false;  // its time is an estimate
        std::uint64_t calls = 0, polls = 0;
        // The cost of a call, and by how much the estimate of an untimed call exceeds its time
        // (NodeCost). Both change slowly, and are computed again when there are an eighth more
        // calls.
        std::uint64_t costs_due = 0;  // calls
        double cost_each = 0, surplus_each = 0;
        double ticks = 0;      // of calls that have ended
        double open = 0;       // ticks of calls that have not
        double folded = 0;     // ticks of folded recursion, which belong to its target; below 0
        double callees = 0;    // ticks of what it calls
        double counted = 0;    // ticks that are included in its caller's `callees`
        double exclusive = 0;  // seconds
    };
    // The figures of nodes at the last refresh, in the order of the file.
    struct Seen {
        std::uint64_t calls, inclusive_ticks, weighted_ticks;
    };
    // Nodes that follow each other in the file.
    struct Run {
        std::uint64_t offset;
        std::uint32_t first, count;  // of `order_` and `seen_`
    };
    struct Change {
        std::uint32_t path;
        std::uint64_t calls;
        double exclusive;  // seconds
    };
    struct ThreadState {
        ThreadRecord record{};
        std::uint64_t open_until = 0;
        const Node* next = nullptr;      // that has not been read yet
        std::uint32_t newest = no_path;  // index of the node that was read last
        std::uint32_t nodes = 0;
        std::string name;
        // The topmost frame, to find out since when open calls have been seen.
        std::uint32_t seen_node = no_path;
        std::uint64_t seen_calls = 0, seen_depth = 0;
        double seen_since = 0;  // elapsed seconds
    };
    // An open call, and the node to which its time is added.
    struct OpenFrame {
        std::uint32_t node;
        std::uint32_t below;
        std::uint64_t kind;  // FrameKind, or frame_last_kind for a frame with a start time
        double ticks;
    };

    void read_modules();
    void read_threads();
    void order_nodes();
    void read_counters();
    void compare(const Run& run);
    void read_new_nodes();
    bool advance(std::uint32_t thread, bool give_up);
    bool add_node(std::uint32_t thread, const Node& node, std::uint64_t offset);
    void update(std::uint32_t index, const Node& node, bool is_new);
    void set_dirty(std::uint32_t index) { dirty_[index / 64] |= std::uint64_t{1} << index % 64; }
    void fold(std::uint32_t caller, std::uint32_t target, double ticks, double NodeState::*part);
    void compute(std::uint32_t index);
    void set_open_times();
    double cost_of_call(const Node& node) const;
    void set_costs(NodeState& state, const Node& node) const;
    std::uint32_t node_at(const void* pointer) const;
    std::uint32_t function_of(const Node& node);
    std::uint32_t name_function(const Node& node);
    void read_open_calls();
    void read_segment(std::uint32_t thread, const StackSegment& segment, const OpenCalls& open,
                      std::vector<OpenFrame>& frames);
    void set_open(std::uint32_t thread, const std::vector<OpenFrame>& frames);
    void compute();
    void read_messages();
    void read_devices();
    void read_tasks();
    void read_memory();

    LiveNames& names_;
    LiveFile file_;
    std::string root_;
    Of of_;
    double ns_per_tick_ = 1;
    bool rate_is_final_ = false;
    std::uint64_t now_ = 0;  // ticks
    double elapsed_ = 0;
    std::uint64_t calls_ = 0;
    double overhead_ = 0;

    std::deque<std::string> module_paths_;
    std::vector<LoadedModule> modules_;
    ModuleTable module_table_{};
    CodeFiles code_files_;
    std::vector<std::uint32_t> module_ids_;
    OpenmpNames openmp_;
    std::unordered_map<std::uint64_t, std::uint32_t> functions_;  // by a hash of kind, key, module

    std::vector<NodeState> nodes_;
    std::vector<std::uint32_t> order_;  // of nodes_, by offset in the file
    std::vector<Seen> seen_;            // in the same order
    std::vector<Run> runs_;
    std::vector<std::uint32_t> slots_;       // by offset / 64: 1 + index of the node
    std::vector<std::uint64_t> dirty_;       // one bit per node: to be computed again
    std::vector<std::uint32_t> open_nodes_;  // whose `open` is not 0
    std::vector<Change> changes_;            // since add_changes_to()
    double seconds_per_tick_ = 0;            // with which `exclusive` was computed
    std::vector<ThreadState> states_;
    std::unordered_map<const ThreadRecord*, std::uint32_t> thread_index_;
    std::vector<LiveThread> threads_;
    std::vector<OpenFrame> open_frames_, frames_, current_;
    std::vector<PeerFigures> peers_;
    std::vector<LiveDevice> devices_;
    std::vector<TaskFigures> tasks_;
    std::vector<MemoryFigures> memory_;
};

}  // namespace vftrace
