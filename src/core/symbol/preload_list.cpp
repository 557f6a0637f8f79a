#include "symbol/preload_list.hpp"

#include <cstring>

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr std::string_view separator_of_ours = "::";

char* append(char* target, std::string_view text) {
    std::memcpy(target, text.data(), text.size());
    return target + text.size();
}

}  // namespace

bool is_own_library(std::string_view entry) {
    entry = base_name(entry);
    return entry.starts_with("libvftrace.so") || entry.starts_with("libvftrace_serial.so") ||
           entry.starts_with("libvftrace_allocations.so") ||
           entry.starts_with("libvftrace_waits.so") ||
           entry.starts_with("libvftrace_annotations.so") || entry.starts_with("libvftrace_io.so");
}

PreloadedLibraries find_preloaded(std::string_view list) {
    PreloadedLibraries found;
    for_each_preloaded(list, [&](std::string_view entry) {
        found.own |= is_own_library(entry);
        found.sanitizer |= !found.own && is_address_sanitizer(base_name(entry));
    });
    return found;
}

std::size_t sanitizer_prefix(std::string_view list) {
    const std::size_t end = list.find_first_of(": ");
    const bool ours = end != list.npos && list.substr(end).starts_with(separator_of_ours) &&
                      is_address_sanitizer(base_name(list.substr(0, end)));
    return ours ? end + separator_of_ours.size() : 0;
}

bool make_fitting_list(std::string_view list, const ProgramImage& image, char* target) {
    const PreloadedLibraries preloaded = find_preloaded(list);
    const std::string_view sanitizer = image.sanitizer;
    if (!preloaded.own)
        return false;
    if (image.obstacle == Obstacle::none) {
        if (sanitizer.empty() || preloaded.sanitizer)
            return false;
        target = append(target, sanitizer);
        target = append(target, separator_of_ours);
        *append(target, list) = '\0';
        return true;
    }
    char* end = target;
    for_each_preloaded(list, [&](std::string_view entry) {
        if (is_own_library(entry))
            return;
        if (end != target)
            *end++ = ':';
        end = append(end, entry);
    });
    *end = '\0';
    return true;
}

}  // namespace vftrace
