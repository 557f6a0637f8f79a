// Numbers that the kernel tells about threads, as text, in /proc.
#pragma once

#include <cstdint>
#include <string_view>

namespace vftrace {

// The number behind `name` and a colon in a file of lines as /proc/self/status has; 0 if there is
// no such line, no such file, or what stands there is no number. By system calls alone: in signal
// handlers, and for programs that have run out of everything else. One descriptor for a moment.
std::uint64_t number_in_status(const char* path, std::string_view name);

// The numbers in the first line of a file that has nothing else there, as
// /proc/thread-self/schedstat, up to `most`. Returns how many there are.
int numbers_in_line(const char* path, std::uint64_t* numbers, int most);

// When a process was started, in clock ticks after boot: tells it from a later one with the same
// number. 0 if there is none, or none any more whose threads run.
std::uint64_t process_start(std::int64_t pid);

}  // namespace vftrace
