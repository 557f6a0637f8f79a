#include "ranks/trace_clocks.hpp"

#include "collate/clock_offsets.hpp"
#include "ranks/world_communicator.hpp"
#include "trace/trace_writer.hpp"
#include "tree/event_buffer.hpp"

namespace vftrace {
namespace {

TraceClocks trace_clocks;

}  // namespace

void measure_trace_clocks_at_begin() {
    if (!trace_settings.clocks_at_begin || !WorldCommunicator::is_possible())
        return;
    WorldCommunicator ranks;
    trace_clocks.begin = measure_clock(ranks, host_clock(), find_neighbours(ranks));
    note_trace_clocks(trace_clocks);
}

void measure_trace_clocks_at_end(SmallMessages& ranks) {
    trace_clocks.end = measure_clock(ranks, host_clock());
    note_trace_clocks(trace_clocks);
}

}  // namespace vftrace
