// The trace of a run: from the configuration to the vfd file.
#pragma once

#include <cstdint>
#include <string>

#include "config/options.hpp"
#include "profile/paths_of_nodes.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Called when the library starts.
void prepare_tracing(const Options& options);

// The process has a new record: begins its trace, if one is wanted. Allocates nothing except for
// the writer's thread.
void start_tracing_process(ProcessRecord& record);

// What a trace needs to know about the end of the process.
struct EndOfTrace {
    PathsOfNodes nodes;
    double ns_per_tick = 1.0;
    std::uint64_t end_ticks = 0;
};

// Converts the trace to `<base><rank>.vfd`. Failures are reported; the chunks are then kept for
// `vftrace recover`. Does nothing if nothing was traced.
void write_vfd(const Profile& profile, const EndOfTrace& end, const std::string& base);

// Adds notices to the run about what is missing in the trace, and what tracing cost.
void note_trace_losses(RunInfo& info, double ns_per_tick);

}  // namespace vftrace
