// Names of Rust functions.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// Whether a symbol is that of a Rust function: `_R...`, or the older form `_ZN...17h<hash>E`, which
// C++ demanglers accept too and show wrongly.
bool is_rust_symbol(std::string_view symbol);

// The path of the function as in Rust's own messages, without hashes:
// `<alloc::vec::Vec<u8> as core::ops::drop::Drop>::drop`. "" if `symbol` is not a valid Rust
// symbol. Parts that are repeated in a very long name are replaced with `...`, so that the length
// of the result and the time depend on the length of `symbol` only.
std::string demangle_rust(std::string_view symbol);

}  // namespace vftrace
