// The MPI operations in a vfd file, one after another.
#include <fmt/core.h>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"
#include "record/collective_shapes.hpp"

namespace vftrace {

struct VfdOperationStream::State {
    explicit State(const VfdFile& vfd)
        : file(vfd), cursor({vfd.descriptor_, vfd.path_, vfd.bytes_},
                            {vfd.operations_.begin, vfd.operations_.end},
                            "list of the MPI operations", VfdCursor::small_buffer) {}

    std::uint32_t take_stack() { return take_index(file.stacks_.size(), "stack"); }
    std::uint32_t take_thread() { return take_index(file.threads_.size(), "thread"); }
    std::uint32_t take_communicator() {
        return take_index(file.extension_.communicators.size(), "communicator");
    }
    // Reads a time, which is relative to an earlier one.
    std::int64_t take_time(std::int64_t before) {
        const std::uint64_t place = cursor.position(), between = cursor.take_number();
        std::int64_t ns;
        if (between > largest_time ||
            __builtin_add_overflow(before, static_cast<std::int64_t>(between), &ns) ||
            ns > static_cast<std::int64_t>(largest_time))
            cursor.fail_at(place, fmt::format("a time of {} ns", between));
        return ns;
    }

    static constexpr std::uint64_t largest_time = 4'000'000'000'000'000'000;
    const VfdFile& file;
    VfdCursor cursor;
    std::int64_t latest_ns = 0;

  private:
    std::uint32_t take_index(std::size_t size, const char* what) {
        const std::uint64_t place = cursor.position(), index = cursor.take_number();
        if (index >= size)
            cursor.fail_at(place, fmt::format("{} {} does not exist", what, index));
        return static_cast<std::uint32_t>(index);
    }
};

VfdOperationStream::VfdOperationStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
VfdOperationStream::VfdOperationStream(VfdOperationStream&&) noexcept = default;
VfdOperationStream::~VfdOperationStream() = default;

VfdOperationStream VfdFile::operations() const {
    return VfdOperationStream(std::make_unique<VfdOperationStream::State>(*this));
}

bool VfdOperationStream::next(VfdOperation& operation) {
    State& state = *state_;
    VfdCursor& cursor = state.cursor;
    if (cursor.left() == 0)
        return false;
    const std::uint64_t place = cursor.position(), head = cursor.take_number();
    const std::uint64_t what = head & ~VfdOperation::completed_by_another;
    if (head >= 2 * VfdOperation::completed_by_another ||
        (what >= VfdOperation::collectives &&
         !is_collective_shape(static_cast<std::uint32_t>(what - VfdOperation::collectives))))
        cursor.fail_at(place, fmt::format("an operation of kind {}", head));
    operation.what = static_cast<std::uint32_t>(what);
    operation.start_ns = state.latest_ns = state.take_time(state.latest_ns);
    operation.end_ns = state.take_time(operation.start_ns);
    const bool by_another = (head & VfdOperation::completed_by_another) != 0;
    if (by_another) {
        operation.enter_ns = state.take_time(operation.start_ns);
        if (operation.enter_ns > operation.end_ns)
            cursor.fail_at(place, "an operation that ends before it is waited for");
        operation.completing_stack = state.take_stack();
        operation.completing_thread = state.take_thread();
    }
    operation.stack = state.take_stack();
    operation.thread = state.take_thread();
    if (!by_another) {
        operation.enter_ns = operation.start_ns;
        operation.completing_stack = operation.stack;
        operation.completing_thread = operation.thread;
    }
    operation.communicator = state.take_communicator();
    const std::uint64_t peer = cursor.take_number();
    if (peer > no_index / 2)
        cursor.fail_at(place, fmt::format("rank {}", peer));
    operation.peer = static_cast<std::int32_t>(peer) - 1;
    operation.tag = 0;
    operation.bytes = operation.number = 0;
    if (operation.is_collective()) {
        operation.number = cursor.take_number();
    } else {
        operation.tag = static_cast<std::int32_t>(cursor.take_number());
        operation.bytes = cursor.take_number();
    }
    return true;
}

std::uint64_t VfdOperationStream::position() const {
    return state_->cursor.position() - state_->file.operations_.begin;
}

std::uint64_t VfdOperationStream::size() const {
    return state_->file.operations_.end - state_->file.operations_.begin;
}

}  // namespace vftrace
