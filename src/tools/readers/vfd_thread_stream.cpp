// The lists that each thread has in a vfd file in addition to its function samples, one after
// another.
#include <algorithm>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"
#include "record/task_moments.hpp"

namespace vftrace {
namespace {

const char* why_damaged(const VfdCallSample&) { return nullptr; }
const char* why_damaged(const VfdLeftOut&) { return nullptr; }
const char* why_damaged(const VfdTaskMoment& found) {
    return is_task_moment(found.moment) ? nullptr : "an unknown task event";
}

// Whether the stack of an entry may be unknown.
template <class Entry>
constexpr bool may_lack_stack = false;
template <>
constexpr bool may_lack_stack<VfdLeftOut> = true;

}  // namespace

template <class Entry>
struct VfdThreadStream<Entry>::State {
    State(const VfdFile& vfd, VfdFile::Extent extent, const char* part)
        : file(vfd), cursor({vfd.descriptor_, vfd.path_, vfd.bytes_}, {extent.begin, extent.end},
                            part, VfdCursor::small_buffer) {}

    const VfdFile& file;
    VfdCursor cursor;
    std::int64_t latest_ns = 0;
};

template <class Entry>
VfdThreadStream<Entry>::VfdThreadStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <class Entry>
VfdThreadStream<Entry>::VfdThreadStream(VfdThreadStream&&) noexcept = default;
template <class Entry>
VfdThreadStream<Entry>::~VfdThreadStream() = default;

template <class Entry>
bool VfdThreadStream<Entry>::next(Entry& entry) {
    VfdCursor& cursor = state_->cursor;
    if (cursor.left() == 0)
        return false;
    const auto found = cursor.peek_at<Entry>(0);
    const std::uint32_t stack = found.stack;
    if (stack >= state_->file.stacks_.size() && !(may_lack_stack<Entry> && stack == vfd_no_stack))
        cursor.fail(fmt::format("stack {} does not exist", stack));
    if (found.ns < state_->latest_ns)
        cursor.fail("an event out of time order");
    if (const char* why = why_damaged(found))
        cursor.fail(why);
    state_->latest_ns = found.ns;
    cursor.take(sizeof found);
    entry = found;
    return true;
}

template class VfdThreadStream<VfdCallSample>;
template class VfdThreadStream<VfdTaskMoment>;
template class VfdThreadStream<VfdLeftOut>;

VfdCallSampleStream VfdFile::call_samples(std::uint32_t thread) const {
    return VfdCallSampleStream(std::make_unique<VfdCallSampleStream::State>(
        *this, call_samples_of_[thread], "list of samples without hooks"));
}
std::uint64_t VfdFile::call_sample_count(std::uint32_t thread) const {
    return call_samples_of_[thread].bytes() / sizeof(VfdCallSample);
}

VfdTaskMomentStream VfdFile::task_moments(std::uint32_t thread) const {
    return VfdTaskMomentStream(std::make_unique<VfdTaskMomentStream::State>(
        *this, task_moments_of_[thread], "list of task events"));
}
std::uint64_t VfdFile::task_moment_count(std::uint32_t thread) const {
    return task_moments_of_[thread].bytes() / sizeof(VfdTaskMoment);
}

VfdLeftOutStream VfdFile::left_out(std::uint32_t thread) const {
    return VfdLeftOutStream(std::make_unique<VfdLeftOutStream::State>(
        *this, left_out_of_[thread], "list of events that were left out"));
}
std::uint64_t VfdFile::left_out_events(std::uint32_t thread) const {
    std::uint64_t events = 0;
    VfdLeftOutStream stream = left_out(thread);
    for (VfdLeftOut entry; stream.next(entry);)
        add_saturating(events, std::uint64_t{entry.events});
    return events;
}
bool VfdFile::hides_what_was_left_out() const {
    return header_.numbers.interval_ns > 0 &&
           std::all_of(left_out_of_.begin(), left_out_of_.end(),
                       [](const Extent& extent) { return extent.bytes() == 0; });
}

}  // namespace vftrace
