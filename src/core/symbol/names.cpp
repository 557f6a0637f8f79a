// Cleaning of Fortran symbols and shortening of names for tables.
#include "symbol/names.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {

namespace {

// Length of `name` without Intel's suffix `.t<digits>p`.
std::size_t length_without_intel_suffix(std::string_view name) {
    if (!name.ends_with('p'))
        return name.size();
    std::size_t digits = name.size() - 1;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool is_suffix = digits < name.size() - 1 && name.substr(0, digits).ends_with(".t");
    return is_suffix ? digits - 2 : name.size();
}

// How many bytes the first `count` code points take; `text` has at least as many.
std::size_t bytes_of_code_points(std::string_view text, std::size_t count) {
    std::size_t bytes = 0;
    for (; count > 0; count--)
        bytes += first_code_point(text.substr(bytes)).bytes;
    return bytes;
}

}  // namespace

std::string name_without_symbol(std::string_view path, std::uint64_t offset) {
    auto value = static_cast<unsigned long long>(offset);
    if (path.empty())
        return format("(0x%016llx)", value);
    return format("%s+0x%llx", std::string(base_name(path)).c_str(), value);
}

std::string clean_name(std::string_view symbol) {
    std::string_view name = symbol;
    for (;;) {
        std::string_view shorter = name.substr(0, length_without_intel_suffix(name));
        shorter = shorter.substr(0, shorter.find_last_not_of('_') + 1);  // npos + 1 == 0
        if (shorter.empty() || shorter.size() == name.size())
            return std::string(name);
        name = shorter;
    }
}

std::string fortran_name(const std::string& symbol) {
    constexpr std::string_view gfortran = "_MOD_", intel = "_mp_", prefix = "__";
    if (symbol.starts_with(prefix))
        if (const std::size_t at = symbol.find(gfortran, prefix.size() + 1);
            at != std::string::npos && at + gfortran.size() < symbol.size())
            return symbol.substr(prefix.size(), at - prefix.size()) +
                   "::" + symbol.substr(at + gfortran.size());
    if (const std::size_t at = symbol.find(intel); at != std::string::npos && at > 0 &&
                                                   symbol.back() == '_' &&
                                                   at + intel.size() + 1 < symbol.size())
        return symbol.substr(0, at) +
               "::" + symbol.substr(at + intel.size(), symbol.size() - at - intel.size() - 1);
    return symbol;
}

std::string strip_module_name(std::string_view name) {
    constexpr std::string_view separators[] = {"_MOD_", "_MP_", "_mp_"};
    for (std::string_view separator : separators) {
        std::size_t at = name.find(separator);
        if (at == std::string_view::npos)
            continue;
        std::string_view rest = name.substr(at + separator.size());
        return std::string(rest.empty() ? name : rest);
    }
    return std::string(name);
}

std::string shorten_middle(std::string_view name, std::size_t columns) {
    constexpr std::string_view dots = "...";
    std::size_t length = count_code_points(name);
    if (length <= columns)
        return std::string(name);
    std::size_t kept = columns > dots.size() ? columns - dots.size() : 0;
    std::string out(name.substr(0, bytes_of_code_points(name, (kept + 1) / 2)));
    out += dots;
    out += name.substr(bytes_of_code_points(name, length - kept / 2));
    return out;
}

}  // namespace vftrace
