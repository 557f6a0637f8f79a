// The durations so far of a thread's open calls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/relaxed.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// A limit, so that a damaged count of ticks does not cause harm.
inline constexpr std::int64_t most_ticks = std::int64_t{1} << 61;

constexpr std::int64_t plausible_ticks(std::uint64_t ticks) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(ticks, most_ticks));
}

// The end and the pauses of the open calls of a stack.
struct OpenCalls {
    std::uint64_t end;
    std::uint64_t moved;  // by pauses since they began that the thread has not noticed yet
    // For the pause that the thread itself began: its end, or 0 if it has lasted for `moved`.
    std::uint64_t pause_end;

    std::int64_t time_since(std::uint64_t start) const {
        if (start <= frame_last_kind || start >= end || moved >= end - start)
            return 0;
        return plausible_ticks(end - start - moved);
    }
    std::int64_t pause_since(std::uint64_t start) const {
        if (pause_end == 0)
            return plausible_ticks(moved);
        return start < pause_end ? plausible_ticks(pause_end - start) : 0;
    }
};

// For a thread whose open calls end at `end_ticks`, or earlier if they have ended or been paused
// before.
inline OpenCalls open_calls(const ThreadRecord& record, const ProcessRecord& process,
                            std::uint64_t end_ticks) {
    OpenCalls open{end_ticks, 0, end_ticks};
    const std::uint64_t paused = __atomic_load_n(&process.paused_ticks, __ATOMIC_ACQUIRE);
    const std::uint64_t noticed = relaxed(record.paused_ticks);
    if (paused > noticed)
        open.moved = paused - noticed;
    if (const std::uint64_t pause = relaxed(process.pause_started))
        open.end = std::min(open.end, pause);
    else if (open.moved > 0)
        open.pause_end = 0;
    if (const std::uint64_t end = end_of_open(record, open.end); end < open.end)
        open = {end, 0, end_ticks};  // later pauses do not concern them
    return open;
}

// Ticks when an open call began; the frame may be another thread's.
inline std::uint64_t seen_start_of(const Frame& frame) {
    const std::uint64_t start = relaxed(frame.start);
    return start > frame_last_kind ? start : relaxed(frame.slow_start);
}

// Visits the open calls of a stack, the outermost one first, as visit(frame, node, caller's node,
// OpenCalls of this stack). `open` is that of the thread.
template <class Visit>
void visit_open_calls(const StackSegment& segment, OpenCalls open, Visit visit) {
    if (const std::uint64_t suspended = relaxed(segment.suspended_at))
        open = {std::min(open.end, suspended), 0, open.pause_end};
    const Node* below = __atomic_load_n(&segment.frames[0].node, __ATOMIC_ACQUIRE);
    // The frame above the last open one does not have a stack address.
    for (std::size_t i = 1; i <= segment.capacity; i++) {
        const Frame& frame = segment.frames[i];
        const bool is_open = __atomic_load_n(&frame.stack, __ATOMIC_ACQUIRE) != 0;
        const Node* const node = __atomic_load_n(&frame.node, __ATOMIC_ACQUIRE);
        if (!is_open || !node)
            break;
        visit(frame, *node, below, open);
        below = node;
    }
}

// Visits the open calls of all stacks of a thread.
template <class Visit>
void visit_open_calls_of(const ThreadRecord& record, OpenCalls open, Visit visit) {
    for (const StackSegment* segment = __atomic_load_n(&record.segments, __ATOMIC_ACQUIRE); segment;
         segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
        visit_open_calls(*segment, open, visit);
}

}  // namespace vftrace
