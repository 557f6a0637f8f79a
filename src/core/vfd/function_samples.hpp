// Turns the event chunks of one thread into the function samples of a vfd file, in order of time.
//
// A signal handler that runs between the reading of the clock and the writing of an event puts its
// own events before it: the event is then moved back to its place, by up to `window` samples.
// Events with the same time keep their order. Cost per event: a table look-up, a multiplication and
// writing 16 bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "profile/profile.hpp"
#include "vfd/trace_file_reader.hpp"
#include "vfd/trace_gaps.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace {

// Receives samples that are ready to be written.
class SampleSink {
  public:
    // `samples` of `width` bytes each, in order of time.
    virtual void take(const char* samples, std::size_t count, std::size_t width) = 0;

  protected:
    ~SampleSink() = default;
};

class FunctionSamples {
  public:
    // `path_of`: by Node::number. Events after `end_ticks` are left out, because the run is over.
    FunctionSamples(SampleSink& sink, const TraceTimes& times, std::uint64_t end_ticks,
                    std::uint32_t counters, TraceGaps& gaps);

    // Starts with another thread. Data of the previous one must have been flushed.
    void start_thread(std::uint32_t thread, std::span<const std::uint32_t> path_of);
    // Adds the next chunk of the thread. Returns false if a part of it was invalid.
    bool add_chunk(std::uint64_t base_ticks, std::span<const std::uint64_t> words);
    // Adds one more sample, with the latest readings of the counters.
    void add(VfdSampleKind kind, std::uint32_t path, std::int64_t ns);
    void flush() { give(count_); }
    // The number of samples of the thread so far.
    std::uint64_t samples() const { return samples_; }

    // Whether the thread's chunks so far have records of this kind.
    bool has_records(RecordKind kind, std::uint32_t thread) const {
        return thread < kinds_.size() && (kinds_[thread] & bit_of(kind)) != 0;
    }

    // For visit_words().
    void event(WordKind kind, std::uint32_t node, std::uint64_t ticks);
    void record(RecordKind kind, std::uint32_t detail, std::span<const std::uint64_t> words);

  private:
    static constexpr std::size_t window = 1024, capacity = 16 * window;

    static constexpr std::uint64_t bit_of(RecordKind kind) {  // a word has 6 bits for the kind
        return std::uint64_t{1} << static_cast<unsigned>(kind);
    }

    void give(std::size_t count);
    void move_back_last();
    std::int64_t ns_at(std::size_t index) const;

    SampleSink& sink_;
    const TraceTimes times_;
    const std::uint64_t end_ticks_;
    const std::size_t width_;  // bytes of a sample with its readings
    TraceGaps& gaps_;

    std::uint32_t thread_ = 0;
    std::span<const std::uint32_t> path_of_;
    std::uint64_t base_ticks_ = 0;
    bool sound_ = true;  // whether the chunk has been valid so far
    std::vector<char> buffer_;
    std::size_t count_ = 0;      // in buffer_
    std::int64_t last_ns_ = 0;   // of the last sample in buffer_
    std::int64_t given_ns_ = 0;  // of the last sample passed to sink_
    std::uint64_t samples_ = 0;
    std::vector<std::int64_t> readings_;
    std::vector<std::uint64_t> kinds_;  // by thread: bits of RecordKind
};

}  // namespace vftrace
