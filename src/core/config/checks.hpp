// Whether a value of the right type is allowed for an option. Errors are added to `findings`, in
// the words of Vftrace 2.0 if it had that message; options are named by their paths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

bool is_allowed(const OptionRow& row, bool value, Findings& findings);
bool is_allowed(const OptionRow& row, CxxNames value, Findings& findings);
bool is_allowed(const OptionRow& row, int value, Findings& findings);
bool is_allowed(const OptionRow& row, double value, Findings& findings);
bool is_allowed(const OptionRow& row, const std::string& value, Findings& findings);
bool is_allowed(const OptionRow& row, const std::optional<std::string>& value, Findings& findings);
bool is_allowed(const OptionRow& row, const std::vector<HardwareCounter>& value,
                Findings& findings);
bool is_allowed(const OptionRow& row, const std::vector<Observable>& value, Findings& findings);

// Moves `value` into `target` if it is allowed.
template <class Value>
void assign_if_allowed(const OptionRow& row, Value value, Value& target, Findings& findings) {
    if (is_allowed(row, value, findings))
        target = std::move(value);
}

// Adds `<section>.<key> expects a boolean.`, or the corresponding text for the type of the option.
void add_type_error(const OptionRow& row, Findings& findings);

// Adds the error for a null instead of a string.
void add_null_error(const OptionRow& row, Findings& findings);

// Checks rules between options. Called when all options have been read; an option that violates a
// rule gets its default again. Reads the scenario file of the hardware counters
// (config/scenario.hpp).
void check_combinations(Options& options, Findings& findings);

}  // namespace vftrace
