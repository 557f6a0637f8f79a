// Writes the contents of the threads' event buffers to the trace file (.tmpvfd), in a separate
// thread, while the program runs.
//
//   event buffers, device buffer ──writer thread, or the one that ends the process──> chunks
//   (record/trace_file.hpp)
//
// One thread at a time writes, under a bounded lock and with system calls only, so that a dying
// process can do so in its signal handler. The file is created when there is something to write.
#pragma once

#include <cstdint>

#include "record/trace_file.hpp"

namespace vftrace {

// Begins a trace of this process, after its record has been created; `path` is copied. From now on,
// threads that are registered are traced if trace_settings enables it. Does not allocate memory.
void start_trace(const char* path);

// Starts the thread that writes. If that fails, events are only written at the end, as far as they
// fit in the buffers; a message reports this.
void start_trace_writer();

// Writes everything recorded so far. Async-signal-safe; keeps errno.
void flush_trace();

// The same, and ends the trace: threads stop tracing, the writer thread ends.
void end_trace();

// Sets the difference from rank 0's clock, which is written with the next chunk.
void note_trace_clocks(const TraceClocks& clocks);

// The path of the file; nullptr if nothing has been written to it.
const char* trace_file_path();
void remove_trace_file();

// Sums over all threads.
struct TraceLosses {
    std::uint64_t dropped_events = 0;
    std::uint64_t dropped_work = 0;  // of devices
    std::uint64_t waits = 0, waited_ticks = 0;
    int error = 0;  // errno of the write that ended the trace
};
TraceLosses trace_losses();

}  // namespace vftrace
