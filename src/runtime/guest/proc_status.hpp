// Numbers about threads that the kernel provides as text in /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vftrace {

// The number after `name` and a colon in a file with lines like those of /proc/self/status; 0 if
// there is no such line, file or number. Uses only system calls: for signal handlers, and for
// programs that have run out of everything else. Needs one descriptor for a moment.
std::uint64_t number_in_status(const char* path, std::string_view name);

// The same for several lines, in the order of the file, which is read once: numbers[i] is set to
// the one after names[i]; others are left unchanged. Returns how many were found.
std::size_t numbers_in_status(const char* path, std::span<const std::string_view> names,
                              std::uint64_t* numbers, int base = 10);

// Reads up to `most` numbers in the first line of a file that has only numbers there, such as
// /proc/thread-self/schedstat, or only numbers after a first word, such as /proc/stat. Returns how
// many were found.
int numbers_in_line(const char* path, std::uint64_t* numbers, int most,
                    std::string_view first_word = {});

}  // namespace vftrace
