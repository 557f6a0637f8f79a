// Threads that the program makes: where they start, and what it calls them.
#pragma once

namespace vftrace {

// In a child of fork: a lock of this file may be held by a thread that is no more.
void forget_thread_starts();

}  // namespace vftrace
