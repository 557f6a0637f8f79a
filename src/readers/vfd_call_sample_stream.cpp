// Samples in functions without hooks in a vfd file, one after another.
#include <fmt/format.h>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

struct VfdCallSampleStream::State {
    State(const VfdFile& vfd, std::uint32_t thread)
        : file(vfd), cursor({vfd.descriptor_, vfd.path_, vfd.bytes_},
                            {vfd.call_samples_of_[thread].begin, vfd.call_samples_of_[thread].end},
                            "list of samples without hooks", VfdCursor::large_buffer) {}

    const VfdFile& file;
    VfdCursor cursor;
    std::int64_t latest_ns = 0;
};

VfdCallSampleStream::VfdCallSampleStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
VfdCallSampleStream::VfdCallSampleStream(VfdCallSampleStream&&) noexcept = default;
VfdCallSampleStream::~VfdCallSampleStream() = default;

VfdCallSampleStream VfdFile::call_samples(std::uint32_t thread) const {
    return VfdCallSampleStream(std::make_unique<VfdCallSampleStream::State>(*this, thread));
}

std::uint64_t VfdFile::call_sample_count(std::uint32_t thread) const {
    const Extent& extent = call_samples_of_[thread];
    return (extent.end - extent.begin) / sizeof(VfdCallSample);
}

bool VfdCallSampleStream::next(VfdCallSample& sample) {
    VfdCursor& cursor = state_->cursor;
    if (cursor.left() == 0)
        return false;
    const auto found = cursor.peek_at<VfdCallSample>(0);
    const std::uint32_t stack = found.stack;
    if (stack >= state_->file.stacks_.size())
        cursor.fail(fmt::format("stack {} does not exist", stack));
    if (found.ns < state_->latest_ns)
        cursor.fail("a sample out of the order of time");
    state_->latest_ns = found.ns;
    cursor.take(sizeof found);
    sample = found;
    return true;
}

}  // namespace vftrace
