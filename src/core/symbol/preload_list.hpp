// The value of LD_PRELOAD: as `vftrace run` sets it, and as programs pass it to those that they
// execute.
//
//   libasan.so.8::/lib/libvftrace.so:/lib/other.so
//
// AddressSanitizer's run-time library must be loaded first into a program that needs it, and not
// into any other. The entries that we add are followed by an empty entry, which loaders skip, and
// the library removes them from the program's environment at once.
#pragma once

#include <cstddef>
#include <string_view>

#include "symbol/program_image.hpp"

namespace vftrace {

// Whether an entry is one of our libraries, by the name of its file.
bool is_own_library(std::string_view entry);

// Calls visit(entry) for all entries that are not empty.
template <class Visit>
void for_each_preloaded(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t end = list.find_first_of(": ");
        if (end != 0)
            visit(list.substr(0, end));
        list.remove_prefix(end == list.npos ? list.size() : end + 1);
    }
}

// The entries of AddressSanitizer's libraries and of ours.
struct PreloadedLibraries {
    bool sanitizer = false;  // before ours
    bool own = false;
};
PreloadedLibraries find_preloaded(std::string_view list);

// The number of characters at the start of the list that we put before our library.
std::size_t sanitizer_prefix(std::string_view list);

// The list that fits a program, given one that names our library: without our library if there is
// an obstacle, otherwise with it after the sanitizer that the program needs. Writes it to `target`,
// with a NUL, and returns true; returns false, and writes nothing, if the list fits as it is.
// `target` has room for longest_fitting_list(list) characters. Async-signal-safe.
bool make_fitting_list(std::string_view list, const ProgramImage& image, char* target);
constexpr std::size_t longest_fitting_list(std::string_view list) {
    return list.size() + sizeof ProgramImage::sanitizer + 3;
}

}  // namespace vftrace
