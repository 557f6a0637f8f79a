// Measures the offset of this rank's clock for its trace, at the end of MPI_Init and in
// MPI_Finalize.
#pragma once

#include "collate/communicator.hpp"

namespace vftrace {

// Measures with those neighbours in the tree of ranks that are also traced and arrive within two
// seconds, because others do not take part. Only uses point-to-point messages: a collective that
// some ranks do not join would be matched with later ones of the program. Called when MPI has just
// been initialised; does nothing unless trace_settings.clocks_at_begin is set, because a rank that
// is not traced could find the messages.
void measure_trace_clocks_at_begin();

// To be called by all ranks, if one of them is traced.
void measure_trace_clocks_at_end(SmallMessages& ranks);

}  // namespace vftrace
