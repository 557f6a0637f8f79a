// Chooses the names of functions in tables: the shortest ones that distinguish them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cxx_names.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Sets Function::display of all functions, which together make up one profile.
//
// cxx_names: full gives C++ functions their short name (`std::map<int,A>::find`). If that would be
// the name of two different functions, both get their parameters too, and the whole demangled name
// if they still look the same. With plain, several functions may have the same name (`std::map`).
// strip_module_names: Fortran procedures lose the name of their module.
//
// Scripts look for the root of all call paths by its name, `init`. Anything in the program with
// this name is marked: its functions as `init()`, its regions as `init (region)`.
void set_display_names(std::vector<Function>& functions, CxxNames cxx_names,
                       bool strip_module_names);

// What a function is called if no other one has the same name. `demangled` is empty if it is not a
// function of C++ or Rust.
std::string short_display_name(const std::string& name, const std::string& demangled,
                               CxxNames cxx_names, bool strip_module_names);

inline constexpr std::string_view root_name = "init";

// How anything other than the root that is also called `init` is shown.
constexpr std::string_view name_like_the_root(NodeKind kind) {
    return row_of(kind).is(kind_is_marked) ? "init (region)" : "init()";
}

// Function::display with the module of a Fortran procedure: `solver::step`. Vftrace 2.0 shows such
// procedures by their symbols, as do the tables of logs.
std::string display_with_module(const Function& function);

// Function::display, but `init` if that was marked.
std::string_view display_without_mark(const Function& function);

}  // namespace vftrace
