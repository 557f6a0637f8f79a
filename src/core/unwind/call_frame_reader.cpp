#include "unwind/call_frame_reader.hpp"

#include <algorithm>

namespace vftrace {

std::uint64_t CallFrameReader::unsigned_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; has(1); shift += 7) {
        const std::uint8_t part = *next_++;
        if (shift < 64)
            value |= std::uint64_t{part & 0x7fu} << shift;
        if (!(part & 0x80))
            break;
    }
    return value;
}

std::int64_t CallFrameReader::signed_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; has(1);) {
        const std::uint8_t part = *next_++;
        if (shift < 64)
            value |= std::uint64_t{part & 0x7fu} << shift;
        shift += 7;
        if (!(part & 0x80)) {
            if ((part & 0x40) && shift < 64)
                value |= ~std::uint64_t{0} << shift;
            break;
        }
    }
    return static_cast<std::int64_t>(value);
}

std::uintptr_t CallFrameReader::pointer(std::uint8_t encoding) {
    const auto here = reinterpret_cast<std::uintptr_t>(next_);
    std::uintptr_t value = 0;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = fixed<std::uint64_t>();
        break;
    case 0x02:
        value = fixed<std::uint16_t>();
        break;
    case 0x03:
        value = fixed<std::uint32_t>();
        break;
    case 0x0a:
        value = static_cast<std::uintptr_t>(std::intptr_t{fixed<std::int16_t>()});
        break;
    case 0x0b:
        value = static_cast<std::uintptr_t>(std::intptr_t{fixed<std::int32_t>()});
        break;
    default:
        failed_ = true;
        return 0;
    }
    switch (encoding & 0x70) {
    case 0x00:
        return value;
    case 0x10:
        return here + value;
    default:
        failed_ = true;
        return 0;
    }
}

CallFrameReader CallFrameReader::block() {
    const std::uint64_t bytes = unsigned_number();
    if (!has(bytes))
        return {};
    CallFrameReader inner(next_, bytes);
    next_ += bytes;
    return inner;
}

namespace {

// The bytes of an entry after its length; none if the length marks the end of the table, or is
// wrong.
CallFrameReader entry_at(const CallFrameTables& tables, std::uintptr_t start) {
    const std::size_t readable = tables.readable(start);
    CallFrameReader in(reinterpret_cast<const unsigned char*>(start),
                       std::min<std::size_t>(readable, 12));
    std::uint64_t bytes = in.fixed<std::uint32_t>();
    if (bytes == 0xffffffff)
        bytes = in.fixed<std::uint64_t>();
    const auto place = reinterpret_cast<std::uintptr_t>(in.place());
    if (bytes > readable - (place - start))
        return {};  // the file is cut
    return {in.place(), bytes};
}

bool read_common(const CallFrameTables& tables, std::uintptr_t start, CommonEntry& common) {
    CallFrameReader in = entry_at(tables, start);
    if (in.fixed<std::uint32_t>() != 0)
        return false;
    const std::uint8_t version = in.byte();
    if (version != 1 && version != 3)
        return false;
    const unsigned char* augmentation = in.place();
    while (!in.at_end() && in.byte() != 0) {
    }
    if (in.at_end())
        return false;  // the letters have no end
    common.code_factor = in.unsigned_number();
    common.data_factor = in.signed_number();
    if (version == 1)
        in.byte();  // the register of the return address: the same everywhere
    else
        in.unsigned_number();
    if (*augmentation == 'z') {
        common.has_extra_data = true;
        CallFrameReader extra = in.block();
        for (const unsigned char* letter = augmentation + 1; *letter; letter++)
            switch (*letter) {
            case 'R':
                common.pointer_encoding = extra.byte();
                break;
            case 'P': {
                const std::uint8_t encoding = extra.byte();
                extra.pointer(encoding & 0x0f);
                break;
            }
            case 'L':
                extra.byte();
                break;
            case 'S':
                common.is_signal_frame = true;
                break;
            case 'B':
                break;
            default:
                return false;
            }
    } else if (*augmentation) {
        return false;
    }
    common.instructions = in;
    return !in.failed();
}

struct TableEntry {
    std::int32_t function, description;  // relative to the start of .eh_frame_hdr
};

}  // namespace

bool find_function_entry(const CallFrameTables& tables, std::uintptr_t pc, FunctionEntry& entry) {
    // Version 1, pcrel|sdata4, udata4, datarel|sdata4: what every linker writes.
    constexpr std::size_t header_bytes = 12;
    const unsigned char* const header = tables.header;
    const auto start = reinterpret_cast<std::uintptr_t>(header);
    const std::size_t readable = tables.readable(start);
    if (readable < header_bytes || header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 ||
        header[3] != 0x3b)
        return false;
    std::uint32_t entries;
    std::memcpy(&entries, header + 8, sizeof entries);
    if (entries > (readable - header_bytes) / sizeof(TableEntry))
        return false;
    auto table = reinterpret_cast<const TableEntry*>(header + header_bytes);
    const auto relative = static_cast<std::int64_t>(pc - start);
    std::uint32_t low = 0, high = entries;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (table[middle].function <= relative)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const auto distance = std::intptr_t{table[low - 1].description};
    CallFrameReader in = entry_at(tables, start + static_cast<std::uintptr_t>(distance));
    const auto back_from = reinterpret_cast<std::uintptr_t>(in.place());
    const auto back = in.fixed<std::uint32_t>();
    if (back == 0 || !read_common(tables, back_from - back, entry.common))
        return false;
    entry.start = in.pointer(entry.common.pointer_encoding);
    const std::uintptr_t bytes = in.pointer(entry.common.pointer_encoding & 0x0f);
    if (in.failed() || pc - entry.start >= bytes)
        return false;
    if (entry.common.has_extra_data)
        in.block();
    entry.instructions = in;
    return !in.failed();
}

}  // namespace vftrace
