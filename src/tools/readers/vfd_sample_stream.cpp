// The samples of one thread of a vfd file, one after another.
#include <algorithm>

#include <fmt/core.h>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

struct VfdSampleStream::State {
    State(const VfdFile& vfd, std::uint32_t of_thread)
        : file(vfd), section(vfd.samples_of_[of_thread]), thread(of_thread),
          cursor({vfd.descriptor_, vfd.path_, vfd.bytes_}, {section.begin, section.end},
                 of_thread == 0 ? "list of samples" : "list of a thread's samples",
                 VfdCursor::large_buffer),
          readings(vfd.counters_.size()) {
        if (section.lacks_sync_readings)
            for (const VfdStack& stack : vfd.stacks_)
                has_readings.push_back(
                    !(stack.name.starts_with("MPI_") && stack.name.ends_with("_sync")));
    }

    void read_function_sample(VfdSample& sample);
    void read_message_sample(VfdSample& sample);
    void check_counts() const;

    const VfdFile& file;
    VfdFile::Section section;
    std::uint32_t thread;
    VfdCursor cursor;
    std::vector<std::int64_t> readings;                       // those in the file are not aligned
    std::vector<bool> has_readings;                           // by stack; empty if all have them
    std::uint64_t function_samples = 0, message_samples = 0;  // so far
};

void VfdSampleStream::State::read_function_sample(VfdSample& sample) {
    const auto entry = cursor.peek_at<VfdFunctionSample>(0);
    const std::int32_t stack = entry.stack;
    if (stack < 0 || static_cast<std::uint32_t>(stack) >= file.stacks_.size())
        cursor.fail(fmt::format("stack {} does not exist", stack));
    if (entry.ns < 0)
        cursor.fail("a time before the start of the program");
    cursor.take(sizeof entry);
    sample.kind = entry.kind;
    sample.stack = static_cast<std::uint32_t>(stack);
    sample.ns = entry.ns;
    sample.counters = {};
    function_samples++;
    if (!readings.empty() && (has_readings.empty() || has_readings[sample.stack])) {
        const std::size_t bytes = readings.size() * sizeof readings[0];
        std::memcpy(readings.data(), cursor.take(bytes), bytes);
        sample.counters = readings;
    }
}

void VfdSampleStream::State::read_message_sample(VfdSample& sample) {
    const auto message = cursor.peek_at<VfdMessageSample>(0);
    const std::int32_t stack = message.stack, of_thread = message.thread;
    if (stack < 0 || static_cast<std::uint32_t>(stack) >= file.stacks_.size())
        cursor.fail(fmt::format("stack {} does not exist", stack));
    if (of_thread < 0 || static_cast<std::uint32_t>(of_thread) >= file.threads_.size())
        cursor.fail(fmt::format("thread {} does not exist", of_thread));
    if (message.receives != 0 && message.receives != 1)
        cursor.fail("a message that is neither sent nor received");
    if (message.start_ns < 0 || message.end_ns < 0)
        cursor.fail("a time before the start of the program");
    cursor.take(sizeof message);
    sample.kind = VfdSampleKind::message;
    sample.stack = static_cast<std::uint32_t>(stack);
    sample.ns = message.start_ns;
    sample.counters = {};
    sample.message = message;
    message_samples++;
}

void VfdSampleStream::State::check_counts() const {
    auto check = [&](std::uint64_t found, std::uint64_t expected, const char* kind) {
        if (expected != VfdFile::unknown_samples && found != expected)
            cursor.fail(fmt::format("it has {} {} samples instead of {}", found, kind, expected));
    };
    check(function_samples, section.function_samples, "function");
    check(message_samples, section.message_samples, "message");
}

VfdSampleStream::VfdSampleStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
VfdSampleStream::VfdSampleStream(VfdSampleStream&&) noexcept = default;
VfdSampleStream::~VfdSampleStream() = default;

VfdSampleStream VfdFile::samples(std::uint32_t thread) const {
    if (thread >= threads_.size())
        throw VfdError(fmt::format("{}: does not have a thread {}", path_, thread));
    return VfdSampleStream(std::make_unique<VfdSampleStream::State>(*this, thread));
}

bool VfdSampleStream::next(VfdSample& sample) {
    State& state = *state_;
    if (state.cursor.left() == 0) {
        state.check_counts();
        return false;
    }
    const auto kind = state.cursor.peek_at<std::int32_t>(0);
    if (kind == static_cast<std::int32_t>(VfdSampleKind::enter) ||
        kind == static_cast<std::int32_t>(VfdSampleKind::exit))
        state.read_function_sample(sample);
    else if (kind == static_cast<std::int32_t>(VfdSampleKind::message) && state.thread == 0)
        state.read_message_sample(sample);
    else
        state.cursor.fail(fmt::format("a sample of kind {}", kind));
    return true;
}

std::uint64_t VfdSampleStream::position() const {
    return state_->cursor.position() - state_->section.begin;
}

std::uint64_t VfdSampleStream::size() const { return state_->section.end - state_->section.begin; }

}  // namespace vftrace
