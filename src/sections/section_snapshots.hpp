// Snapshots of all sections, to be plotted over time steps: series of values.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_section_snapshots(const Options& options);

// As vftrace_section_snapshot() in vftrace/sections.h says.
int section_snapshot(double label);

// A section is begun for the first time: from now on one each section.snapshot_interval, if that is
// wanted. Cheap after the first call.
void start_section_snapshots();
// In a child of fork.
void forget_section_snapshots();
// The run is over: what is pending becomes a point.
void end_section_snapshots();

}  // namespace vftrace
