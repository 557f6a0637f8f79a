#include "collate/path_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/text.hpp"

namespace vftrace {
namespace {

std::uint32_t one_at_a_time(std::string_view text) {
    std::uint32_t hash = 0;
    for (char c : text) {
        hash += static_cast<unsigned char>(c);
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    return hash;
}

std::uint32_t murmur3(std::string_view text, std::uint32_t hash) {
    constexpr std::uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    std::size_t blocks = text.size() / 4;
    for (std::size_t i = 0; i < blocks; i++) {
        std::uint32_t block;
        std::memcpy(&block, text.data() + 4 * i, sizeof block);
        hash ^= std::rotl(block * c1, 15) * c2;
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
    }
    std::string_view tail = text.substr(4 * blocks);
    std::uint32_t rest = 0;
    for (std::size_t i = tail.size(); i > 0; i--)
        rest = rest << 8 | static_cast<unsigned char>(tail[i - 1]);
    if (!tail.empty())
        hash ^= std::rotl(rest * c1, 15) * c2;
    hash ^= static_cast<std::uint32_t>(text.size());
    hash ^= hash >> 16;
    hash *= 0x85ebca6b;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35;
    hash ^= hash >> 16;
    return hash;
}

}  // namespace

std::uint64_t path_hash(std::string_view path_with_nul) {
    return static_cast<std::uint64_t>(one_at_a_time(path_with_nul)) << 32 |
           murmur3(path_with_nul, 0x5c0940e9);
}

std::uint64_t path_hash(const std::vector<std::string_view>& names) {
    const std::size_t hashed = std::min(names.size(), most_hashed_levels);
    std::string text;
    for (std::size_t i = names.size() - hashed; i < names.size(); i++) {
        text += names[i];
        if (i + 1 < names.size())
            text += '<';
    }
    std::uint64_t hash = path_hash(std::string_view(text.c_str(), text.size() + 1));
    for (std::size_t i = names.size() - hashed; i-- > 0;)
        hash = hash_of_longer_path(names[i], hash);
    return hash;
}

std::uint64_t hash_of_longer_path(std::string_view leaf, std::uint64_t hash_of_caller) {
    const std::string text =
        std::string(leaf) + format("<%016llx", static_cast<unsigned long long>(hash_of_caller));
    return path_hash(std::string_view(text.c_str(), text.size() + 1));
}

}  // namespace vftrace
