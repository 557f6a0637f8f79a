// The parts of a configuration about hardware counters that are not single values: the scenario
// file and formulas.
#pragma once

#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

// Reads the file that hwprof.default_scenario names: a JSON object with the arrays "counters" and
// "observables", as in the configuration itself. They replace those in the configuration, and
// default_scenario becomes empty, so that the configuration that logs show is complete. Nothing is
// taken from a file that cannot be used. Does nothing while hwprof.active is false.
void load_scenario(Options& options, Findings& findings);

// Adds an error for every observable whose formula cannot be computed: the formula, and a ^ at the
// position of the error; without libmuparser, adds one warning. Opens the library if there are
// observables.
void check_formulas(const Options& options, Findings& findings);

// The names that formulas may use: the counters' symbols, T and CALLS, in this order.
std::vector<std::string> formula_variables(const std::vector<std::string>& symbols);

}  // namespace vftrace
