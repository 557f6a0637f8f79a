// Snapshots of all sections, to be plotted over time steps: series of values.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_section_snapshots(const Options& options);

// See vftrace_section_snapshot() in vftrace/sections.h.
int section_snapshot(double label);

// To be called when a section begins. From then on, a snapshot is taken every
// section.snapshot_interval, if requested. Cheap after the first call.
void start_section_snapshots();
// In a child of fork.
void forget_section_snapshots();
// To be called at the end of the run: pending values become points.
void end_section_snapshots();

}  // namespace vftrace
