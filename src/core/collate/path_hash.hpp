// The 64-bit identity of a call path, the same in every run and on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vftrace {

// Hash of the text "leaf<caller<...<init" and the NUL that ends it: 32 bits of Jenkins'
// one-at-a-time hash (Dr. Dobb's, 1997) above 32 bits of MurmurHash3_x86_32 (A. Appleby, 2011)
// with seed 0x5c0940e9. Vftrace 2.0 numbers its paths (STID) in the order of the same values.
std::uint64_t path_hash(std::string_view path_with_nul);

// The same for names, beginning with the leaf.
std::uint64_t path_hash(const std::vector<std::string_view>& names);

// The hash of a path with more levels than these is that of "leaf<" and the hash of its caller's
// path, in hexadecimal digits: the time for the hashes of all levels of a recursion would grow with
// the square of their number.
inline constexpr std::size_t most_hashed_levels = 256;
std::uint64_t hash_of_longer_path(std::string_view leaf, std::uint64_t hash_of_caller);

}  // namespace vftrace
