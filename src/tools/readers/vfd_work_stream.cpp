// The work of GPUs in a vfd file, piece by piece.
#include <fmt/core.h>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"
#include "record/gpu_work.hpp"

namespace vftrace {

struct VfdWorkStream::State {
    explicit State(const VfdFile& vfd)
        : file(vfd), cursor({vfd.descriptor_, vfd.path_, vfd.bytes_},
                            {vfd.device_work_.begin, vfd.device_work_.end}, "list of the GPU work",
                            VfdCursor::large_buffer),
          pieces_of(vfd.extension_.tracks.size()) {}

    void check(const VfdDeviceWork& work);
    void check_counts() const;

    const VfdFile& file;
    VfdCursor cursor;
    std::int64_t latest_ns = 0;
    std::vector<std::uint64_t> pieces_of;  // by track, so far
};

void VfdWorkStream::State::check(const VfdDeviceWork& work) {
    const VfdExtension& extension = file.extension_;
    const std::uint32_t track = work.track, kind = work.work, kernel = work.kernel;
    const std::int32_t stack = work.stack, thread = work.thread;
    if (track >= extension.tracks.size())
        cursor.fail(fmt::format("track {} does not exist", track));
    if (stack < -1 || (stack >= 0 && static_cast<std::uint32_t>(stack) >= file.stacks_.size()))
        cursor.fail(fmt::format("stack {} does not exist", stack));
    if (thread < -1 || (thread >= 0 && static_cast<std::uint32_t>(thread) >= file.threads_.size()))
        cursor.fail(fmt::format("thread {} does not exist", thread));
    if (kind >= gpu_works)
        cursor.fail(fmt::format("work of kind {}", kind));
    if (kernel != no_index && kernel >= extension.kernels.size())
        cursor.fail(fmt::format("kernel {} does not exist", kernel));
    if (work.start_ns < latest_ns || work.call_ns < -1)
        cursor.fail("work out of time order");
    if (work.end_ns < work.start_ns)
        cursor.fail("work that ends before it starts");
    latest_ns = work.start_ns;
    pieces_of[track]++;
}

void VfdWorkStream::State::check_counts() const {
    for (std::size_t i = 0; i < pieces_of.size(); i++)
        if (pieces_of[i] != file.extension_.tracks[i].pieces)
            cursor.fail(fmt::format("it has {} pieces of work of track {} instead of {}",
                                    pieces_of[i], i, file.extension_.tracks[i].pieces));
}

VfdWorkStream::VfdWorkStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
VfdWorkStream::VfdWorkStream(VfdWorkStream&&) noexcept = default;
VfdWorkStream::~VfdWorkStream() = default;

VfdWorkStream VfdFile::device_work() const {
    return VfdWorkStream(std::make_unique<VfdWorkStream::State>(*this));
}

bool VfdWorkStream::next(VfdDeviceWork& work) {
    if (state_->cursor.left() == 0) {
        state_->check_counts();
        return false;
    }
    const auto piece = state_->cursor.peek_at<VfdDeviceWork>(0);
    state_->check(piece);
    state_->cursor.take(sizeof piece);
    work = piece;
    return true;
}

std::uint64_t VfdWorkStream::position() const {
    return state_->cursor.position() - state_->file.device_work_.begin;
}

std::uint64_t VfdWorkStream::size() const {
    return state_->file.device_work_.end - state_->file.device_work_.begin;
}

}  // namespace vftrace
