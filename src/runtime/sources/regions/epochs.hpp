// Epochs of this process: passes of the program's outer loop.
#pragma once

namespace vftrace {

// Creates the row of the process's own figures; if memory runs out, there are none.
void start_epochs();
// To be called at the end of the run.
void end_epochs();
// To be called in a child of fork: the figures are the parent's.
void forget_epochs();
// To be called when an epoch begins, on any thread.
void count_epoch();

}  // namespace vftrace
