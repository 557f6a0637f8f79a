// SIGBUS: a mapped file was truncated by its owner.
#pragma once

namespace vftrace::tools {

// From now on a file that is truncated while it is mapped ends this process with a message and
// status_failed. Our own readers use pread() and report an error; but libdw maps further files with
// debug information that a program's file names, and tools for one user may read files of another.
// Programs that are started do not inherit this.
void end_with_message_on_bus_error();

}  // namespace vftrace::tools
