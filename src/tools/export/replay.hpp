// Turns the samples of a thread into calls that begin and end, properly nested. For tools.
//
// Every sample names its whole path, so what was open before and after it is known even if the
// samples in between were thinned out. If samples between two others are missing, the calls that
// must have ended and begun there are inserted halfway, except for tasks, whose runs are always in
// the trace. Calls that are open when the trace ends are closed at the end of the run.
//
// What is reconstructed like this is marked, so that nothing is computed from it (ReplayedCall).
// With each list of left-out events, the trace names the innermost call that was open throughout.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "readers/vfd_reader.hpp"

namespace vftrace {

// A call that ends, and how much of it is in the trace.
struct ReplayedCall {
    std::uint32_t stack;
    std::int64_t ns;  // its end
    // Beginning and end are in the trace, and it was one call. Otherwise the times are between
    // those of two samples.
    bool recorded;
    // It may have been several calls, with others in between.
    bool several;
    // How long it was open without interruption, at least; 0 if several.
    std::int64_t least_ns;
};

// Receives the thread's events in the order of time. `stack` is an index into VfdFile::stacks(),
// times are those of the file.
class ReplayVisitor {
  public:
    // A call begins, inside the calls that are open.
    virtual void open(std::uint32_t stack, std::int64_t ns) = 0;
    // The call that was opened last ends.
    virtual void close(const ReplayedCall& call) = 0;
    // Between these times, events were left out: only `stack` and the calls around it are known to
    // have been open; no_index: none is. What is opened and closed there is reported afterwards.
    virtual void left_out(std::int64_t /*from_ns*/, std::int64_t /*to_ns*/,
                          std::uint32_t /*stack*/) {}
    // Readings of all counters at the last reported entry or exit; only if there are counters.
    virtual void counters(std::int64_t /*ns*/, std::span<const std::int64_t>) {}
    // A message of any thread; reported while thread 0 is replayed, in the order of the file.
    virtual void message(const VfdMessageSample&) {}

  protected:
    ~ReplayVisitor() = default;
};

struct ReplayFigures {
    std::uint64_t calls = 0;     // opened, and closed
    std::uint64_t inserted = 0;  // beginnings and ends of these that are not in the trace
    std::uint64_t left_out = 0;  // entries and exits that the interval left out
    std::int64_t end_ns = 0;     // when the last call was closed; not before the end of the run
};

// A task is inside the calls that are open when it runs, wherever it was created. `init` is open on
// thread 0 from time 0. For other threads only their own calls are reported, not the calls above
// their thread function or the parallel region that they work for. `progress`, if there is one, is
// called every few thousand samples with the bytes read and the total. Memory: a word for each
// stack of the file, and the stream's buffer. Throws VfdError.
ReplayFigures replay_thread(const VfdFile& file, std::uint32_t thread, ReplayVisitor& visitor,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// When the run of this file ended, in the file's time.
std::int64_t end_of_run_ns(const VfdFile& file);

}  // namespace vftrace
