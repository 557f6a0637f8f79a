// The lists that each thread has in a vfd file in addition to its function samples, one after
// another.
#include <fmt/core.h>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"
#include "record/task_moments.hpp"

namespace vftrace {
namespace {

const char* why_damaged(const VfdCallSample&) { return nullptr; }
const char* why_damaged(const VfdTaskMoment& found) {
    return is_task_moment(found.moment) ? nullptr : "an unknown task event";
}

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
    if (stack >= state_->file.stacks_.size())
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

}  // namespace vftrace
