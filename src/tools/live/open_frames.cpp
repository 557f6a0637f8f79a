// The open calls of the threads of a watched process, and their start times.
#include <algorithm>
#include <cstring>

#include "live/live_tree.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_segments = 100'000, most_frames = 1 << 22;

}  // namespace

void LiveTree::read_open_calls() {
    open_frames_.clear();
    const ProcessRecord& process = file_.record();
    for (std::uint32_t i = 0; i < states_.size(); i++) {
        const ThreadRecord& record = states_[i].record;
        const OpenCalls open = open_calls(record, process, now_);
        threads_[i].paused = process.pause_started != 0;
        current_.clear();
        const StackSegment* next = record.segments;
        for (std::uint32_t count = 0; next && count < most_segments; count++) {
            StackSegment segment;
            if (!file_.read(next, segment))
                break;
            frames_.clear();
            read_segment(i, segment, open, frames_);
            open_frames_.insert(open_frames_.end(), frames_.begin(), frames_.end());
            if (!frames_.empty() && (current_.empty() || segment.suspended_at == 0))
                current_ = frames_;
            next = segment.next;
        }
        set_open(i, current_);
    }
}

void LiveTree::read_segment(std::uint32_t thread, const StackSegment& segment,
                            const OpenCalls& of_thread, std::vector<OpenFrame>& frames) {
    const OpenCalls open =
        segment.suspended_at
            ? OpenCalls{std::min(of_thread.end, segment.suspended_at), 0, of_thread.pause_end}
            : of_thread;
    Frame frame;
    if (!file_.read(segment.frames, frame))
        return;
    std::uint32_t below = node_at(frame.node);
    const std::size_t capacity = std::min<std::size_t>(segment.capacity, most_frames);
    for (std::size_t i = 1; i <= capacity && file_.read(segment.frames + i, frame); i++) {
        if (frame.stack == 0 || !frame.node)
            break;
        const std::uint32_t node = node_at(frame.node);
        if (node == no_path || nodes_[node].thread != thread)
            continue;  // created meanwhile, or from an overflow
        OpenFrame entry{node, below == no_path ? node : below, frame.start, 0};
        switch (frame.start) {
        case frame_paused:
            entry.ticks = static_cast<double>(open.pause_since(frame.slow_start));
            break;
        case frame_nested:
        case frame_untimed:
        case frame_starting:
            break;
        case frame_callers:  // the functions that led to the next frame: not a call
            below = node;
            continue;
        case frame_timed:
        case frame_thinned:
        case frame_fold:
            entry.ticks = static_cast<double>(open.time_since(frame.slow_start));
            break;
        default:
            if (frame.start <= frame_last_kind)
                continue;
            entry.kind = frame_last_kind;
            entry.ticks = static_cast<double>(open.time_since(frame.start));
        }
        frames.push_back(entry);
        below = node;
    }
}

// Calls whose start the hooks did not record have lasted at least as long as they have been seen:
// during that time, the topmost frame has been the same call of the same path.
void LiveTree::set_open(std::uint32_t index, const std::vector<OpenFrame>& frames) {
    ThreadState& state = states_[index];
    std::vector<OpenCall>& open = threads_[index].open;
    open.clear();
    if (frames.empty()) {
        state.seen_node = no_path;
        return;
    }
    const std::uint32_t top = frames.back().node;
    if (top != state.seen_node || frames.size() != state.seen_depth ||
        nodes_[top].calls != state.seen_calls) {
        state.seen_node = top;
        state.seen_depth = frames.size();
        state.seen_calls = nodes_[top].calls;
        state.seen_since = elapsed_;
    }
    open.reserve(frames.size());
    for (const OpenFrame& frame : frames) {
        const bool known = frame.kind != frame_nested && frame.kind != frame_untimed &&
                           frame.kind != frame_starting;
        open.push_back({nodes_[frame.node].path,
                        known ? frame.ticks * ns_per_tick_ * 1e-9 : elapsed_ - state.seen_since,
                        !known});
    }
    // A caller has lasted at least as long as the calls inside it.
    double least = 0;
    for (auto call = open.rbegin(); call != open.rend(); ++call) {
        least = std::max(least, call->seconds);
        if (call->at_least)
            call->seconds = least;
    }
}

}  // namespace vftrace
