// All options: their values (Options) and what is known about each (option_table).
//
// Both are made from the rows of options.inc. A new option is one new row there.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cxx_names.hpp"
#include "config/sort_columns.hpp"

namespace vftrace {

// One counter to read and its symbol in formulas.
struct HardwareCounter {
    std::string hwc_name;
    std::string symbol;
    bool operator==(const HardwareCounter&) const = default;
};

// A figure that is computed from counters.
struct Observable {
    std::string name;
    std::string formula;
    std::string unit;  // may be empty
    bool operator==(const Observable&) const = default;
};

// A member of such an object in JSON. All members are strings.
template <class Object>
struct ObjectField {
    std::string_view key;
    std::string Object::*member;
    bool required;
};
inline constexpr std::array counter_fields = {
    ObjectField<HardwareCounter>{"hwc_name", &HardwareCounter::hwc_name, true},
    ObjectField<HardwareCounter>{"symbol", &HardwareCounter::symbol, true}};
inline constexpr std::array observable_fields = {
    ObjectField<Observable>{"name", &Observable::name, true},
    ObjectField<Observable>{"formula", &Observable::formula, true},
    ObjectField<Observable>{"unit", &Observable::unit, false}};

constexpr const auto& fields_of(const std::vector<HardwareCounter>&) { return counter_fields; }
constexpr const auto& fields_of(const std::vector<Observable>&) { return observable_fields; }

// The C++ type of each type of option.
namespace option_type {
using boolean = bool;
using integer = int;
using real = double;
using text = std::string;                          // never null
using optional_text = std::optional<std::string>;  // null instead of empty
using word = std::string;                          // one of Check::words
using rank_list = std::string;                     // what RankList::parse() accepts
using parameter_list = std::string;                // what parse_parameter_list() accepts
using cxx_names = CxxNames;
using pattern = std::optional<std::string>;  // a POSIX extended regular expression
using counters = std::vector<HardwareCounter>;
using observables = std::vector<Observable>;
}  // namespace option_type

enum class OptionType {
    boolean,
    integer,
    real,
    text,
    optional_text,
    word,
    rank_list,
    parameter_list,
    cxx_names,
    pattern,
    counters,
    observables
};

// The values. Members are named after the paths: sampling.active is sampling_active.
struct Options {
#define VFTRACE_OPTION(type, member, path, default_value, check, generation, meaning)              \
    option_type::type member = default_value;
#include "config/options.inc"
#undef VFTRACE_OPTION
};

// The restrictions on a value in addition to its type.
struct Check {
    double minimum = std::numeric_limits<double>::lowest();
    std::string_view words = {};  // separated by '|'; not restricted if empty
    bool may_be_empty = true;     // strings only
};

enum class Generation { classic, extended };

struct OptionRow {
    OptionType type;
    std::string_view path;  // "profile_table.sort_table.column"
    Check check;
    Generation generation;
    std::string_view meaning;
};

namespace option_detail {
inline constexpr Check anything;
constexpr Check at_least(double minimum) { return {.minimum = minimum}; }
constexpr Check words(std::string_view words) { return {.words = words}; }
inline constexpr Check not_empty{.may_be_empty = false};

constexpr auto make_table() {
    using enum Generation;
    return std::array{
#define VFTRACE_OPTION(type, member, path, default_value, check, generation, meaning)              \
    OptionRow{OptionType::type, path, check, generation, meaning},
#include "config/options.inc"
#undef VFTRACE_OPTION
    };
}

constexpr bool named_after(std::string_view member, std::string_view path) {
    if (member.size() != path.size())
        return false;
    for (std::size_t i = 0; i < path.size(); i++)
        if (member[i] != (path[i] == '.' ? '_' : path[i]))
            return false;
    return true;
}
#define VFTRACE_OPTION(type, member, path, default_value, check, generation, meaning)              \
    static_assert(named_after(#member, path), "member and path of this option do not agree");
#include "config/options.inc"
#undef VFTRACE_OPTION
}  // namespace option_detail

inline constexpr auto option_table = option_detail::make_table();

// Calls visit(row, value) for every option in the table's order; the type of `value` is that of the
// member, const if `options` is const.
template <class OptionsType, class Visitor>
void for_each_option(OptionsType& options, Visitor&& visit) {
    const OptionRow* row = option_table.data();
#define VFTRACE_OPTION(type, member, path, default_value, check, generation, meaning)              \
    visit(*row++, options.member);
#include "config/options.inc"
#undef VFTRACE_OPTION
}

// "sampling.active" -> "VFTR_SAMPLING_ACTIVE".
std::string environment_name(std::string_view path);

// The keys that may occur in a section ("" is the top level) in the table's order: options and
// sections below it.
std::vector<std::string_view> keys_of_section(std::string_view section);

// Whether there are options below `path`.
bool is_section(std::string_view path);

// "a", "b" -> "a.b"; "", "b" -> "b".
std::string join_path(std::string_view section, std::string_view key);

}  // namespace vftrace
