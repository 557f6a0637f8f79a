// The 64-bit identity of a call path, the same in every run and on every rank.
#pragma once

#include <cstdint>
#include <string_view>

namespace vftrace {

// Hash of the text "leaf<caller<...<init" and the NUL that ends it: 32 bits of Jenkins'
// one-at-a-time hash (Dr. Dobb's, 1997) above 32 bits of MurmurHash3_x86_32 (A. Appleby, 2011)
// with seed 0x5c0940e9. Vftrace 2.0 numbers its paths (STID) in the order of the same values.
std::uint64_t path_hash(std::string_view path_with_nul);

}  // namespace vftrace
