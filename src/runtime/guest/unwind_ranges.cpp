// The first and last addresses of functions, from the unwind tables, which stripped programs have
// too.
#include <cstring>
#include <dlfcn.h>

#include "guest/modules.hpp"

namespace vftrace {
namespace {

struct UnwindEntry {
    std::uintptr_t function;  // 0: none
    const unsigned char* description;
};

UnwindEntry unwind_entry(std::uintptr_t address) {
    const UnwindTable table = unwind_table(address);
    auto relative = static_cast<std::int64_t>(address - table.header);
    std::uint32_t low = 0, high = table.count;
    while (low < high) {
        std::uint32_t middle = low + (high - low) / 2;
        if (table.entries[middle].function <= relative)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return {};
    const UnwindTable::Entry& entry = table.entries[low - 1];
    return {table.header + static_cast<std::intptr_t>(entry.function),
            reinterpret_cast<const unsigned char*>(table.header) + entry.description};
}

// How the addresses of a function are encoded, from the common part (CIE) of its description;
// 0xff if that is not understood. LSB 5.0 Core, section 10.6.1.
unsigned char address_encoding(const unsigned char* common) {
    constexpr unsigned char unknown = 0xff;
    std::uint32_t length;
    std::memcpy(&length, common, sizeof length);
    const unsigned char* end = common + 4 + length;
    unsigned char version = common[8];
    const unsigned char* at = common + 9;
    const auto* letters = reinterpret_cast<const char*>(at);
    if (length == 0xffffffff || (version != 1 && version != 3) || letters[0] != 'z')
        return letters[0] ? unknown : 0;
    at += std::strlen(letters) + 1;
    auto skip_leb128 = [&] {
        while (at < end && *at++ & 0x80)
            ;
    };
    skip_leb128();  // code alignment
    skip_leb128();  // data alignment
    if (version == 1)
        at++;  // return address column
    else
        skip_leb128();
    skip_leb128();  // length of what the letters stand for
    for (letters++; *letters && at < end; letters++) {
        if (*letters == 'R')
            return *at;
        if (*letters == 'L')
            at++;
        else if (*letters == 'P')
            at += (*at & 7) == 3 ? 5 : (*at & 7) == 0 || (*at & 7) == 4 ? 9 : 3;
        else if (*letters != 'S' && *letters != 'B')
            return unknown;
    }
    return 0;
}

}  // namespace

UnwindTable unwind_table(std::uintptr_t address) {
    // Version 1, pointers encoded pcrel|sdata4, table->count udata4, table datarel|sdata4. Every
    // linker writes these encodings; others are not understood here.
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0 || !found.dlfo_eh_frame)
        return {};
    const auto* header = static_cast<const unsigned char*>(found.dlfo_eh_frame);
    if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b)
        return {};
    UnwindTable table{reinterpret_cast<std::uintptr_t>(header),
                      reinterpret_cast<const UnwindTable::Entry*>(header + 12), 0};
    std::memcpy(&table.count, header + 8, sizeof table.count);
    return table;
}

std::uintptr_t function_start(std::uintptr_t address) { return unwind_entry(address).function; }

// 0, 0: of an unknown kind.
static FunctionRange range_of(const UnwindEntry& entry) {
    std::uint32_t length, to_common;
    std::memcpy(&length, entry.description, sizeof length);
    std::memcpy(&to_common, entry.description + 4, sizeof to_common);
    if (length == 0xffffffff || to_common == 0)
        return {};
    unsigned char encoding = address_encoding(entry.description + 4 - to_common);
    const unsigned char* start_field = entry.description + 8;
    std::uint64_t size = 0;
    if ((encoding & 0x87) == 3) {  // 4 bytes
        std::uint32_t size_32;
        std::memcpy(&size_32, start_field + 4, sizeof size_32);
        size = size_32;
    } else if ((encoding & 0x87) == 0 || (encoding & 0x87) == 4) {
        std::memcpy(&size, start_field + 8, sizeof size);
    }
    return {entry.function, entry.function + size};
}

FunctionRange function_range(std::uintptr_t address) {
    const UnwindEntry entry = unwind_entry(address);
    const FunctionRange range = entry.function ? range_of(entry) : FunctionRange{};
    return address - range.start < range.end - range.start ? range : FunctionRange{};
}

FunctionRange function_range(const UnwindTable& table, std::uint32_t entry) {
    const UnwindTable::Entry& found = table.entries[entry];
    return range_of({table.header + static_cast<std::intptr_t>(found.function),
                     reinterpret_cast<const unsigned char*>(
                         table.header + static_cast<std::intptr_t>(found.description))});
}

}  // namespace vftrace
