// The library's own threads, which the program does not see.
#pragma once

namespace vftrace {

// Starts a thread that is not registered, has all signals blocked, and is not waited for. Returns 0
// or an error number. The thread does not exist in a child of fork.
int start_hidden_thread(void* (*function)(void*), void* argument);

}  // namespace vftrace
