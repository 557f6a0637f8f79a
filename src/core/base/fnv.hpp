// FNV-1a, 64 bits (Fowler, Noll, Vo; http://www.isthe.com/chongo/tech/comp/fnv/): a hash of bytes
// that is the same on all machines.
#pragma once

#include <cstdint>

namespace vftrace {

inline constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325u, fnv_prime = 0x100000001b3u;

// Adds one byte or word to the hash.
constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint64_t next) {
    return (hash ^ next) * fnv_prime;
}

// The hash of a text up to but not including the final NUL. Takes no memory and no lock.
constexpr std::uint64_t fnv1a(const char* text) {
    std::uint64_t hash = fnv_basis;
    for (; *text; text++)
        hash = fnv1a(hash, static_cast<unsigned char>(*text));
    return hash;
}

}  // namespace vftrace
