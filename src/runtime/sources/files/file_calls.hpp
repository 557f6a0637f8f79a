// Books what calls do with files to their paths (record/file_rows.hpp).
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

// Calls are to be booked in this run. Says so if that is not possible.
void prepare_file_calls();
bool file_calls_are_wanted();
// From now on calls are booked, or not any more.
void record_file_calls(bool wanted);
// A thread ends. It is in its slow path.
void end_file_calls(ThreadState& state);

}  // namespace vftrace
