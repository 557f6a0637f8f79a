// Profiles without the names of the program, its files, hosts and arguments, to be passed on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "profile/profile.hpp"

namespace vftrace {

// Whoever does not have the key cannot find out names by trying words.
struct AnonymityKey {
    std::uint64_t first = 0, second = 0;
};

inline constexpr std::size_t shortest_secret = 16;  // bytes

// `secret`: at least shortest_secret bytes that nobody can guess.
AnonymityKey anonymity_key(std::string_view secret);

// SipHash-2-4, a pseudo-random function (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
// INDOCRYPT 2012).
std::uint64_t keyed_hash(std::string_view text, const AnonymityKey& key);

// Replaces names by keyed hashes, such as "function_81f3c02d9a4e": the same in all profiles that
// get the same key, so that these can be compared. Kept are numbers, the names of MPI and of the
// functions of the C, C++, Fortran and OpenMP libraries, and what vftrace itself calls things.
// Process numbers, the configuration and notices of other versions are dropped. `names`: gets the
// new and the old names.
void anonymise(Profile& profile, const AnonymityKey& key,
               std::map<std::string, std::string>& names);

}  // namespace vftrace
