// What the kernel says a thread is doing now.
#pragma once

#include <cstdint>
#include <string>

namespace vftrace {

// "running" (or ready to), "waits: pipe", "waits" if what for may not be read, "stopped"; empty if
// there is no such thread. Both numbers are those of the caller's process namespace.
std::string text_of_thread_state(std::int64_t pid, std::int64_t tid);

}  // namespace vftrace
