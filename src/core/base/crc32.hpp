// CRC-32 as zlib's crc32() computes it (ISO 3309, RFC 1952). GEOPM uses it as the hash of a region.
#pragma once

#include <cstdint>
#include <string_view>

namespace vftrace {

constexpr std::uint32_t crc32(std::string_view text) {
    constexpr std::uint32_t polynomial = 0xedb88320;  // bits reversed
    std::uint32_t remainder = 0xffffffff;
    for (const char letter : text) {
        remainder ^= static_cast<unsigned char>(letter);
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
    }
    return ~remainder;
}
static_assert(crc32("123456789") == 0xcbf43926);

}  // namespace vftrace
