// Epochs of this process: passes of the program's outer loop.
#pragma once

namespace vftrace {

// Makes the row of the process's own figures; without memory there are none.
void start_epochs();
// The run is over.
void end_epochs();
// In a child of fork: they are the parent's.
void forget_epochs();
// One begins. Any thread.
void count_epoch();

}  // namespace vftrace
