// A fast hash of texts for tables in memory. Not for files: it depends on the byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace vftrace {

// Equal texts with equal seeds have equal hashes. Takes about 1 ns per eight bytes.
inline std::uint64_t text_hash(std::string_view text, std::uint64_t seed = 0) {
    constexpr std::uint64_t factor = 0x9fb21c651e98df25u;  // odd, with bits in all parts
    std::uint64_t hash = (seed + 1) * factor ^ text.size();
    auto mix = [&](std::size_t bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), bytes);
        hash = (std::rotl(hash, 29) ^ word) * factor;
        text.remove_prefix(bytes);
    };
    while (text.size() >= sizeof(std::uint64_t))
        mix(sizeof(std::uint64_t));
    if (!text.empty())
        mix(text.size());
    return hash ^ hash >> 32;
}

}  // namespace vftrace
