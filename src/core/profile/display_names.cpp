#include "profile/display_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "record/openacc_events.hpp"
#include "symbol/names.hpp"
#include "symbol/rust_names.hpp"

namespace vftrace {
namespace {

// What distinguishes a function from others with the same display name. Copies that the compiler
// made of a function, and the variants of a constructor, count as the same.
std::string_view identity(const Function& function) {
    std::string_view whole = function.demangled.empty() ? function.name : function.demangled;
    return whole.substr(0, whole.find(" [clone "));
}

// Gives each C++ function that shares its display name with a different function the name that
// `longer` makes of it.
template <class Longer>
void lengthen_ambiguous(std::vector<Function>& functions, Longer longer) {
    std::vector<std::size_t> order(functions.size());
    for (std::size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return functions[a].display < functions[b].display;
    });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        const Function& first = functions[order[begin]];
        bool ambiguous = false;
        for (end = begin + 1; end < order.size(); end++) {
            const Function& other = functions[order[end]];
            if (other.display != first.display)
                break;
            ambiguous = ambiguous || identity(other) != identity(first);
        }
        if (!ambiguous)
            continue;
        for (std::size_t i = begin; i < end; i++) {
            Function& function = functions[order[i]];
            if (!function.demangled.empty() && !is_rust_symbol(function.name))
                function.display = longer(function.demangled);
        }
    }
}

}  // namespace

std::string short_display_name(const std::string& name, const std::string& demangled,
                               CxxNames cxx_names, bool strip_module_names) {
    if (cxx_names != CxxNames::raw && !demangled.empty()) {
        if (is_rust_symbol(name))
            return demangled;
        return cxx_names == CxxNames::full ? short_cxx_name(demangled)
                                           : cxx_name_without_templates(demangled);
    }
    return strip_module_names ? strip_module_name(name) : name;
}

void set_display_names(std::vector<Function>& functions, CxxNames cxx_names,
                       bool strip_module_names) {
    for (Function& function : functions) {
        if (function.kind == NodeKind::region && !function.demangled.empty())
            function.display = function.demangled;
        else if ((function.kind != NodeKind::function && function.kind != NodeKind::gpu) ||
                 (function.kind == NodeKind::gpu && is_openacc(function.offset)))
            function.display = function.name;
        else
            function.display = short_display_name(function.name, function.demangled, cxx_names,
                                                  strip_module_names);
    }
    if (cxx_names == CxxNames::full) {
        lengthen_ambiguous(functions, [](const std::string& demangled) {
            return short_cxx_name_with_parameters(demangled);
        });
        lengthen_ambiguous(functions, [](const std::string& demangled) { return demangled; });
    }
    for (Function& function : functions)
        if (function.kind != NodeKind::root && function.display == root_name)
            function.display = name_like_the_root(function.kind);
}

std::string display_with_module(const Function& function) {
    if (function.kind != NodeKind::function || function.display != function.name)
        return function.display;
    std::string name = fortran_name(function.name);
    if (name != function.name || function.symbol.empty())
        return name;
    // What Intel's compilers add at the end of a symbol is not in the name.
    std::string of_symbol = fortran_name(function.symbol);
    return of_symbol == function.symbol ? name : of_symbol;
}

std::string_view display_without_mark(const Function& function) {
    const bool marked =
        function.kind != NodeKind::root && function.display == name_like_the_root(function.kind);
    return marked ? root_name : std::string_view(function.display);
}

}  // namespace vftrace
