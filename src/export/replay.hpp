// Turns the samples of a thread into calls that begin and end, properly nested. For tools.
//
// Every sample names its whole path, so what was open before and after it is known even if the
// samples in between were thinned out. If samples between two others are missing, the calls that
// must have ended and begun there are inserted halfway, except for tasks, whose runs are always in
// the trace. Calls that are open when the trace ends are closed at the end of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "readers/vfd_reader.hpp"

namespace vftrace {

// Receives the thread's events in the order of time. `stack` is an index into VfdFile::stacks(),
// times are those of the file.
class ReplayVisitor {
  public:
    // A call begins; it lies in the calls that are open.
    virtual void open(std::uint32_t stack, std::int64_t ns) = 0;
    // The call that was opened last ends.
    virtual void close(std::uint32_t stack, std::int64_t ns) = 0;
    // Readings of all counters at the last reported entry or exit; only if there are counters.
    virtual void counters(std::int64_t /*ns*/, std::span<const std::int64_t>) {}
    // A message of any thread; reported while thread 0 is replayed, in the order of the file.
    virtual void message(const VfdMessageSample&) {}

  protected:
    ~ReplayVisitor() = default;
};

struct ReplayFigures {
    std::uint64_t calls = 0;     // opened, and closed
    std::uint64_t inserted = 0;  // beginnings and ends among them that the trace does not have
    std::int64_t end_ns = 0;     // when the last one was closed; not before the end of the run
};

// A task lies in what is open when it runs, wherever it was created. `init` is open on thread 0
// from time 0. Of other threads only what they do themselves is reported: not the calls in which
// their thread function, or the parallel region they work for, hangs. `progress`, if there is one,
// is called every few thousand samples with the bytes read and in all. Memory: a word for each
// stack of the file, the stream's buffer. Throws VfdError.
ReplayFigures replay_thread(const VfdFile& file, std::uint32_t thread, ReplayVisitor& visitor,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// When the run of this file ended, in its own time.
std::int64_t end_of_run_ns(const VfdFile& file);

}  // namespace vftrace
