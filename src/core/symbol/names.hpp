// How a symbol becomes the name that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

struct DefaultedTypes;

// Removes trailing underscores (Fortran compilers add them) and Intel's `.tNp` suffixes.
// `MAIN__` -> `MAIN`, `solve_` -> `solve`. A name that consists only of underscores stays as it is.
std::string clean_name(std::string_view symbol);

// The name of a function without a symbol: "module+0x12f0" after the file at `path`, or
// "(0x00007f...)" if `path` is empty and `offset` an address outside all files.
std::string name_without_symbol(std::string_view path, std::uint64_t offset);

// "module::procedure" for the symbol of a Fortran module procedure as gfortran (`__m_MOD_p`) or
// Intel's compilers (`m_mp_p_`) name it; other names stay as they are.
std::string fortran_name(const std::string& symbol);

// Drops a Fortran module prefix: everything up to the first `_MOD_` (gfortran), then `_MP_`
// (nfort), then `_mp_` (ifort). Unchanged if there is none or nothing would be left.
std::string strip_module_name(std::string_view name);

// The whole C++ name with parameters, the path of a Rust function (symbol/rust_names.hpp), or "" if
// `symbol` is of neither kind or no C++ runtime with a demangler can be found. Uses the demangler
// of the C++ runtime in the process, loads one if the process does not have one, and never links
// one. A clone reads `foo(int) [clone .constprop.0]`.
//
// Names are not longer than longest_name (symbol/abridge.hpp): long ones have `...` instead of
// inner template arguments. Time and memory are bounded, whatever the symbol.
std::string demangle(const std::string& symbol);

// The qualified name with its template arguments, without return type, parameters and qualifiers:
// `void quicksort<int>(int*, int*)` -> `quicksort<int>`,
// `std::map<int, A, std::less<int>, std::allocator<...> >::find(int const&)` ->
// `std::map<int,A>::find`. Standard containers' defaulted arguments are left out, except for the
// types that `defaulted` selects (symbol/cxx_types.hpp).
std::string short_cxx_name(std::string_view demangled, DefaultedTypes* defaulted = nullptr);

// The same with parameters and qualifiers, for overloads: `f(int)`, `A::begin() const`,
// `std::map<int,A>::find(int const&)`.
std::string short_cxx_name_with_parameters(std::string_view demangled,
                                           DefaultedTypes* defaulted = nullptr);

// short_cxx_name() up to where its first template arguments begin, as Vftrace 2.0 shows names:
// `quicksort`, `std::map`.
std::string cxx_name_without_templates(std::string_view demangled);

// The name of a function with this symbol inside another name, which the whole C++ name would
// make unreadable: short_cxx_name(), or clean_name() of other languages.
std::string short_name(const std::string& symbol);

// At most `columns` characters (UTF-8 code points): the middle becomes "...". columns >= 8.
std::string shorten_middle(std::string_view name, std::size_t columns);

// The same for names that are shown together: those that would look the same keep what they differ
// in: "std::...<float>::sum..." and "std::...<double>::su...". `names` are distinct.
std::vector<std::string> shorten_apart(const std::vector<std::string_view>& names,
                                       std::size_t columns);

}  // namespace vftrace
