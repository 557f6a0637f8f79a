// Calls from the tree to regions/, which is above it, about the current regions of a thread.
#pragma once

#include "record/node.hpp"
#include "tree/region_place.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct RegionCalls {
    // For nodes that publish_known() does not know. A region begins: `node` is its node, and the
    // thread is in it now. The thread has ThreadState::regions.
    void (*begins)(ThreadState& state, const Node& node);
    // A region has ended, or the thread continues on another stack: it is in this node now.
    void (*now_in)(ThreadState& state, const Node& node);
    // The thread works for an OpenMP team whose master created the region of `node`.
    void (*works_for)(ThreadState& state, const Node& node);
};

// nullptr: not used.
extern const RegionCalls* region_calls;

// Out of line: in MPI calls this costs only a comparison if regions are not reported.
[[gnu::noinline]] inline void report_region_begin(ThreadState& state, const Node& node) {
    if (may_be_region(node.kind) && !publish_known(*state.regions, node)) [[unlikely]]
        region_calls->begins(state, node);
}
[[gnu::noinline]] inline void report_region_end(ThreadState& state, const Node& node) {
    if (may_be_region(node.kind) && node.parent && !publish_known(*state.regions, *node.parent))
        [[unlikely]]
        region_calls->now_in(state, *node.parent);
}

inline void note_region_begin(ThreadState& state, const Node* node) {
    if (state.regions) [[unlikely]]
        report_region_begin(state, *node);
}
inline void note_region_end(ThreadState& state, const Node* node) {
    if (state.regions) [[unlikely]]
        report_region_end(state, *node);
}

// The thread continues on another stack: `node` is where it is there.
inline void note_region_of(ThreadState& state, const Node* node) {
    if (state.regions && !publish_known(*state.regions, *node)) [[unlikely]]
        region_calls->now_in(state, *node);
}

}  // namespace vftrace
