// A vfd file as text, as vftrace_vfd_dump of Vftrace 2.0 printed it. For tools.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// "%16.6f" of the seconds, to the end of `out`. No time before the start.
void append_seconds(std::string& out, std::int64_t ns);

// Samples of this time only; a message's begins or ends in it, or it was on its way all the time.
struct VfdPeriod {
    std::int64_t from_ns = 0, to_ns = std::numeric_limits<std::int64_t>::max();
    bool has(const VfdSample& sample) const {
        const bool is_message = sample.kind == VfdSampleKind::message;
        return sample.ns <= to_ns && (is_message ? sample.message.end_ns : sample.ns) >= from_ns;
    }
};

// Called for each sample, with bytes.
using VfdProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Writes the requested parts, in the order of the requests. Control characters and
// invalid UTF-8 in the file's texts come out as base/utf8.hpp has it. Memory: the texts of stacks
// that occur, as long as they need less than 64 MiB. An error of `out` ends the samples.
class VfdText {
  public:
    // `names`: those of the file's stack table, which for C++ are symbols, or short readable ones
    // where the extension has them.
    enum class Names : std::uint8_t { stored, readable };
    VfdText(const VfdFile& file, OutputFile& out, Names names = Names::stored);
    // Of samples, what was printed before a damaged one reaches `out` too.
    ~VfdText() { flush(); }
    VfdText(const VfdText&) = delete;
    VfdText& operator=(const VfdText&) = delete;

    void write_header();
    void write_thread_tree();
    void write_stacks();
    void write_counters();  // nothing if there are none

    // Thread 0's function samples and the messages of all threads, as in the file.
    // Throws VfdError for a damaged one.
    void write_samples(const VfdPeriod& period, const VfdProgress& progress);

    // The function samples of one thread and, if asked, its messages, by time.
    void write_samples_of(std::uint32_t thread, bool with_messages, const VfdPeriod& period,
                          const VfdProgress& progress);

    // Those that found the thread in functions without hooks, by time: nothing if there are none.
    void write_call_samples_of(std::uint32_t thread, const VfdPeriod& period);

    // What happened to tasks on the thread, by time: nothing if there were none.
    void write_task_moments_of(std::uint32_t thread, const VfdPeriod& period);

    // Streams of GPUs, and what they have done: each piece with start, duration, bytes and the call
    // path that launched it. Nothing if there are none. Throws VfdError for a damaged one.
    void write_tracks();
    void write_device_work(const VfdPeriod& period, const VfdProgress& progress);

  private:
    // A line an entry: time, what append(entry) adds, path.
    template <class Entry, class Append>
    void write_list(const std::string& title, VfdThreadStream<Entry> stream,
                    const VfdPeriod& period, Append append);
    void append_device_work(const VfdDeviceWork& work);
    void write_title(std::string_view title);
    void write_sample(const VfdSample& sample);
    void append_message(const VfdMessageSample& message);
    std::string thread_text(std::uint32_t thread) const;  // "thread 2 (worker)"
    std::string make_stack_text(std::uint32_t stack) const;
    std::string_view stack_text(std::uint32_t stack);
    void flush();

    const VfdFile& file_;
    OutputFile& out_;
    Names names_;
    std::string lines_;                     // not written yet
    std::vector<std::string> stack_texts_;  // empty: not made yet
    std::size_t stack_text_bytes_ = 0;      // of all of these
    std::string last_stack_text_;           // that there is no room for
};

}  // namespace vftrace
