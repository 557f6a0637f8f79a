// FNV-1a, 64 bit (Fowler, Noll, Vo; http://www.isthe.com/chongo/tech/comp/fnv/): a hash that is the
// same on all machines, byte by byte.
#pragma once

#include <cstdint>

namespace vftrace {

inline constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325u, fnv_prime = 0x100000001b3u;

// The hash with one more byte, or word.
constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint64_t next) {
    return (hash ^ next) * fnv_prime;
}

// Of a text that ends with a NUL, which is not among it. Takes no memory and no lock.
constexpr std::uint64_t fnv1a(const char* text) {
    std::uint64_t hash = fnv_basis;
    for (; *text; text++)
        hash = fnv1a(hash, static_cast<unsigned char>(*text));
    return hash;
}

}  // namespace vftrace
