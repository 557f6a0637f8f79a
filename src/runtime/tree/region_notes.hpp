// Tells regions/ in which region a thread is, if regions are reported.
#pragma once

#include "record/node.hpp"
#include "tree/region_place.hpp"
#include "tree/thread_state.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

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
