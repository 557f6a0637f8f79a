// Sections or tasks in the trees of all threads, for queries of their times while the program runs.
// A task includes its work in all of its runs, wherever they are, because they are grafts.
//
// The index only reads the trees, and visits only nodes that were created since the last query. The
// caller holds a lock, and calls all functions in run_guarded().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index_table.hpp"
#include "guest/bounded_lock.hpp"
#include "record/node.hpp"
#include "record/open_calls.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Takes the lock of an index before a query; false if nothing is recorded, or the lock is not free.
bool begin_live_question(BoundedLock& lock);

// Ticks or bytes, and calls.
struct LiveSums {
    double self = 0, total = 0;
    std::uint64_t calls = 0;
};

class LiveIndex {
  public:
    // `kind`: NodeKind::section or NodeKind::task, the nodes that the index contains.
    explicit LiveIndex(NodeKind kind) : kind_(kind) {}

    // Reads what the threads have recorded until `now`. `only`: this thread; nullptr: all threads.
    void look(const ProcessRecord& process, const ThreadRecord* only, std::uint64_t now);

    // Of all entries with this name; in the total, nested ones are counted once.
    LiveSums times_of(const char* name) const;
    // Of the whole program: the lifetime of the first thread, and the recorded time of the others.
    LiveSums times_of_root() const;

    // The names of all entries, always in the same order; new ones come last.
    template <class Visit>
    void visit_names(Visit visit) const {
        for (const std::uint32_t first : first_of_name_)
            visit(name_of(*entries_[first].node));
    }

    // By how much the memory has grown in sections, in bytes; without calls. `all`: that of the
    // program.
    LiveSums memory_of(const char* name) const;
    // Whether it was read for any call of such a section.
    bool has_memory(const char* name) const;
    LiveSums memory_of_root(double all) const;

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    static const char* name_of(const Node& node);

    // A node of the kind that the index contains.
    struct Entry {
        const Node* node;
        std::uint32_t thread;
        std::uint32_t parent;  // the entry around it, or none
        std::uint32_t first_child = none, next_sibling = none;
        std::uint32_t next_of_name = none;
        bool in_itself = false;  // inside one with the same name
        // Ticks, at the latest look: of closed calls (-1: read them from the node), of open calls,
        // and the sum that other nodes have moved here or away.
        double closed = -1, open = 0, moved = 0;
        bool is_touched = false;
    };
    // A node whose time belongs to another entry than the one above it: grafts, aliases, and the
    // first nodes of threads other than the first.
    struct Move {
        const Node* node;
        std::uint32_t thread, from, to;  // entries; none: the root
        bool is_new;                     // time of a further thread, which no entry includes yet
        double open = 0;                 // ticks, of the latest look
    };
    struct Thread {
        const ThreadRecord* record = nullptr;
        const Node* latest = nullptr;
        bool busy = false;
        std::vector<std::uint32_t> entry_of;  // by Node::number: the entry around the node
        std::vector<std::uint32_t> move_of;   // the same: the move of the node itself, or none
    };

    void add_nodes(std::uint32_t thread);
    void add_node(std::uint32_t thread, const Node& node);
    void add_entry(std::uint32_t thread, const Node& node, std::uint32_t parent);
    std::uint32_t entry_around(const Node* node);
    void add_open_call(std::uint32_t thread, const Frame& frame, const Node& node,
                       const Node* below, const OpenCalls& open);
    void move(std::uint32_t from, std::uint32_t to, bool is_new, double ticks);
    Entry& touched(std::uint32_t entry);
    double total_of(const Entry& entry) const;
    double memory_of(const Entry& entry) const;
    template <class Total>
    LiveSums sums_of(const char* name, Total total_of) const;
    template <class Total>
    LiveSums sums_of_root(double all, Total total_of) const;
    std::uint32_t first_of(const char* name) const;
    bool counts(std::uint32_t thread) const { return !only_ || threads_[thread].record == only_; }

    const NodeKind kind_;
    std::vector<Thread> threads_;  // by ThreadRecord::number
    std::vector<Entry> entries_;
    std::vector<Move> moves_;
    std::vector<std::uint32_t> aliases_;  // of the kind: moves
    std::vector<std::uint32_t> touched_;  // entries, at the latest look
    IndexTable by_name_;
    std::vector<std::uint32_t> first_of_name_;  // entries, by index in by_name_
    const ThreadRecord* only_ = nullptr;
    double root_ticks_ = 0;
};

}  // namespace vftrace
