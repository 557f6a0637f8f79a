// Progress in regions, as GEOPM's functions report it: the metric region.progress of the innermost
// open region of the calling thread.
#pragma once

#include <cstdint>

namespace vftrace {

// Work begins that has this number of units, which all threads share. `first`: no unit is done.
void set_work_units(std::uint64_t units, bool first);
// One more unit is done.
void add_done_unit();
// The part that is done, from 0 to 1.
void set_progress(double part);
// Records what other threads have done, before the region ends.
void note_progress();

}  // namespace vftrace
