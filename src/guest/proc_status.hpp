// Numbers about threads that the kernel provides as text in /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vftrace {

// The number after `name` and a colon in a file of lines as /proc/self/status has; 0 if there is
// no such line, no such file, or not a number. By system calls alone: in signal
// handlers, and for programs that have run out of everything else. One descriptor for a moment.
std::uint64_t number_in_status(const char* path, std::string_view name);

// The same of several lines, in the order of the file, which is read once: numbers[i] is that
// after names[i]; others are kept. Returns how many there are.
std::size_t numbers_in_status(const char* path, std::span<const std::string_view> names,
                              std::uint64_t* numbers);

// The numbers in the first line of a file that has nothing else there, as
// /proc/thread-self/schedstat, or that and nothing else after a first word, as /proc/stat, up to
// `most`. Returns how many there are.
int numbers_in_line(const char* path, std::uint64_t* numbers, int most,
                    std::string_view first_word = {});

// When a process was started, in clock ticks after boot: distinguishes it from a later one with the
// same number. 0 if there is none, or none any more whose threads run.
std::uint64_t process_start(std::int64_t pid);

}  // namespace vftrace
