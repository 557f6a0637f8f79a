// The names of the rows in a process's table of sampled regions (MetricScope::region): the part,
// the region, and for a requested signal its name.
//
//     r00c0ffee01                         a region, by its id
//     u, e, a                             everything unmarked, everything from the first epoch on,
//                                         everything
//     r00c0ffee01 CPU_ENERGY@package-0    a region again, with one value: that of the signal
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace vftrace {

// The part of the run to which sampled figures apply.
enum class RegionPart : std::uint8_t { region, unmarked, epoch, application };
inline constexpr std::string_view region_part_letters = "ruea";

inline constexpr std::size_t region_digits = 10;  // of an id, hexadecimal

// Writes the name of a row; `signal` may be "". `buffer` has room for 32 characters more than
// `signal` has.
inline void write_region_row(char* buffer, std::size_t bytes, RegionPart part, std::uint64_t region,
                             const char* signal) {
    const char letter = region_part_letters[static_cast<std::size_t>(part)];
    char id[region_digits + 1] = "";
    if (part == RegionPart::region)
        std::snprintf(id, sizeof id, "%010llx",
                      static_cast<unsigned long long>(region & 0xff'ffff'ffff));
    std::snprintf(buffer, bytes, "%c%s%s%s", letter, id, *signal ? " " : "", signal);
}

struct RegionRow {
    bool is_sound = false;  // otherwise the text is not such a name
    RegionPart part = RegionPart::region;
    std::uint64_t region = 0;
    std::string_view signal;
};

constexpr RegionRow read_region_row(std::string_view name) {
    RegionRow row;
    const std::size_t part = name.empty() ? name.npos : region_part_letters.find(name.front());
    if (part == name.npos)
        return row;
    name.remove_prefix(1);
    row.part = static_cast<RegionPart>(part);
    if (row.part == RegionPart::region) {
        if (name.size() < region_digits)
            return row;
        for (std::size_t i = 0; i < region_digits; i++) {
            constexpr std::string_view digits = "0123456789abcdef";
            const std::size_t digit = digits.find(name[i]);
            if (digit == digits.npos)
                return row;
            row.region = row.region << 4 | digit;
        }
        name.remove_prefix(region_digits);
    }
    if (!name.empty() && name.front() != ' ')
        return row;
    row.signal = name.empty() ? name : name.substr(1);
    row.is_sound = true;
    return row;
}

}  // namespace vftrace
