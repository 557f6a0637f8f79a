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

// Appends the seconds as "%16.6f" to `out`. The time must not be negative.
void append_seconds(std::string& out, std::int64_t ns);

// Restricts samples to this period; a message belongs to it if it begins or ends in it, or was in
// transit during all of it.
struct VfdPeriod {
    std::int64_t from_ns = 0, to_ns = std::numeric_limits<std::int64_t>::max();
    bool has(const VfdSample& sample) const {
        const bool is_message = sample.kind == VfdSampleKind::message;
        return sample.ns <= to_ns && (is_message ? sample.message.end_ns : sample.ns) >= from_ns;
    }
};

// Called for each sample, with numbers of bytes.
using VfdProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Writes the requested parts, in the order of the requests. Control characters and invalid UTF-8 in
// the file's texts are written as described in base/utf8.hpp. Memory: the texts of stacks that
// occur, up to 64 MiB. An error of `out` ends the samples.
class VfdText {
  public:
    // `names`: those of the file's stack table, which are symbols for C++, or short readable ones
    // if the extension has them.
    enum class Names : std::uint8_t { stored, readable };
    VfdText(const VfdFile& file, OutputFile& out, Names names = Names::stored);
    // Samples that were printed before a damaged one also reach `out`.
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

    // The function samples of one thread and, if requested, its messages, by time.
    void write_samples_of(std::uint32_t thread, bool with_messages, const VfdPeriod& period,
                          const VfdProgress& progress);

    // The samples that found the thread in functions without hooks, by time. Nothing if there are
    // none.
    void write_call_samples_of(std::uint32_t thread, const VfdPeriod& period);

    // Events of tasks on the thread, by time. Nothing if there were none.
    void write_task_moments_of(std::uint32_t thread, const VfdPeriod& period);

    // Streams of GPUs, and their work: each piece with start, duration, bytes and the call path
    // that launched it. Nothing if there are none. Throws VfdError for a damaged one.
    void write_tracks();
    void write_device_work(const VfdPeriod& period, const VfdProgress& progress);

  private:
    // One line per entry: the time, what append(entry) adds, and the path.
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
    std::size_t stack_text_bytes_ = 0;      // of all these texts
    std::string last_stack_text_;           // for which there is no room
};

}  // namespace vftrace
