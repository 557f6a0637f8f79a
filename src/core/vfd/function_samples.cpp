#include "vfd/function_samples.hpp"

#include <algorithm>
#include <cstddef>

namespace vftrace {

FunctionSamples::FunctionSamples(SampleSink& sink, const TraceTimes& times, std::uint64_t end_ticks,
                                 std::uint32_t counters, TraceGaps& gaps)
    : sink_(sink), times_(times), end_ticks_(end_ticks),
      width_(sizeof(VfdFunctionSample) + counters * sizeof(std::int64_t)), gaps_(gaps),
      buffer_((capacity + 1) * width_), readings_(counters) {}

void FunctionSamples::start_thread(std::uint32_t thread, std::span<const std::uint32_t> path_of) {
    thread_ = thread;
    if (thread >= kinds_.size())
        kinds_.resize(thread + std::size_t{1});
    path_of_ = path_of;
    last_ns_ = given_ns_ = 0;
    samples_ = 0;
    std::fill(readings_.begin(), readings_.end(), 0);
}

bool FunctionSamples::add_chunk(std::uint64_t base_ticks, std::span<const std::uint64_t> words) {
    base_ticks_ = base_ticks;
    sound_ = true;
    return visit_words(words, *this) && sound_;
}

void FunctionSamples::event(WordKind kind, std::uint32_t node, std::uint64_t ticks) {
    ticks += base_ticks_;
    const std::uint32_t path = node < path_of_.size() ? path_of_[node] : no_index;
    if (path == no_index) {
        sound_ = false;
        return;
    }
    if (ticks <= end_ticks_)
        add(kind == WordKind::enter ? VfdSampleKind::enter : VfdSampleKind::exit, path,
            times_.ns(ticks));
}

void FunctionSamples::record(RecordKind kind, std::uint32_t, std::span<const std::uint64_t> words) {
    kinds_[thread_] |= bit_of(kind);
    if (kind == RecordKind::readings) {
        sound_ = sound_ && words.size() == readings_.size();
        std::copy_n(words.begin(), std::min(words.size(), readings_.size()), readings_.begin());
    } else if (kind == RecordKind::waited || kind == RecordKind::dropped) {
        GapRecord gap;
        if (read_record(words, gap) && gap.start <= gap.end)
            gaps_.add(thread_, kind == RecordKind::waited, gap, times_);
        else
            sound_ = false;
    }
}

void FunctionSamples::add(VfdSampleKind kind, std::uint32_t path, std::int64_t ns) {
    const VfdFunctionSample sample{kind, static_cast<std::int32_t>(path), ns};
    char* const place = buffer_.data() + count_ * width_;
    std::memcpy(place, &sample, sizeof sample);
    if (width_ > sizeof sample)
        std::memcpy(place + sizeof sample, readings_.data(), width_ - sizeof sample);
    count_++;
    if (ns < last_ns_)
        move_back_last();
    else
        last_ns_ = ns;
    if (count_ == capacity)
        give(capacity - window);
}

std::int64_t FunctionSamples::ns_at(std::size_t index) const {
    std::int64_t ns;
    std::memcpy(&ns, buffer_.data() + index * width_ + offsetof(VfdFunctionSample, ns), sizeof ns);
    return ns;
}

void FunctionSamples::move_back_last() {
    char* const spare = buffer_.data() + capacity * width_;
    char* const last = buffer_.data() + (count_ - 1) * width_;
    const std::int64_t ns = ns_at(count_ - 1);
    std::size_t place = count_ - 1;
    while (place > 0 && ns_at(place - 1) > ns)
        place--;
    std::memcpy(spare, last, width_);
    // The sample stays after those that have already been written.
    if (ns < given_ns_)
        std::memcpy(spare + offsetof(VfdFunctionSample, ns), &given_ns_, sizeof given_ns_);
    char* const to = buffer_.data() + place * width_;
    std::memmove(to + width_, to, (count_ - 1 - place) * width_);
    std::memcpy(to, spare, width_);
}

void FunctionSamples::give(std::size_t count) {
    if (count == 0)
        return;
    given_ns_ = ns_at(count - 1);
    sink_.take(buffer_.data(), count, width_);
    samples_ += count;
    count_ -= count;
    std::memmove(buffer_.data(), buffer_.data() + count * width_, count_ * width_);
}

}  // namespace vftrace
