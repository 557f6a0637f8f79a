// How the clocks of the ranks differ, so that traces of several hosts can be aligned.
//
// Each rank asks its parent in the binary tree of ranks for the time, about twenty times; the
// fastest answer is the most accurate (F. Cristian, Probabilistic clock synchronization, 1989). The
// parent sends its own offset along, so rank 0's clock is passed down the tree: the offsets add up,
// and so do the errors. Ranks that read the same clock, that of one running kernel, differ by
// exactly 0.
//
//   child ── ask ──> parent       offset of the child = parent's time + parent's offset
//   child <─ time ── parent                             - the middle of question and answer
#pragma once

#include <cstdint>

#include "collate/communicator.hpp"
#include "record/trace_file.hpp"

namespace vftrace {

// A rank's clock, and what it has in common with the ranks that read the same one.
struct RankClock {
    std::uint64_t (*read_ns)(const void* clock);
    const void* clock;       // argument of read_ns
    std::uint64_t identity;  // of the clock; clocks with equal identities do not differ
};

// CLOCK_MONOTONIC of this host, identified by host name, boot and time namespace.
RankClock host_clock();

// Which of its neighbours in the tree a rank can communicate with.
struct TreeNeighbours {
    bool parent = true;
    bool children[2] = {true, true};
};
constexpr int tree_parent(int rank) { return (rank - 1) / 2; }
constexpr int tree_child(int rank, int which) { return 2 * rank + 1 + which; }

// The offset of this rank's clock from rank 0's. All ranks that are each other's neighbours must
// call it at the same time. Takes about 40 messages per level of the tree; if something fails
// between two ranks, those below remain unmeasured. Needs no memory, so that no rank that runs out
// of it makes others wait.
TraceClocks::Reading measure_clock(SmallMessages& ranks, const RankClock& clock,
                                   const TreeNeighbours& neighbours = {});

// Informs the parent that no (further) question will come.
bool say_end_of_questions(SmallMessages& ranks, int parent);

}  // namespace vftrace
