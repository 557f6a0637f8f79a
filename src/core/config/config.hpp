// The configuration of a run, and what tools need to show, check and document one.
//
//   Configuration configuration = load_configuration();
//   if (configuration.options.off) ...
//
// Defaults are overridden by the JSON file that VFTR_CONFIG names, and both by variables such as
// VFTR_SAMPLING_ACTIVE. All functions read and print numbers with a decimal point in any locale.
#pragma once

#include <string>

#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

struct Configuration {
    Options options;
    std::string source;  // path of the JSON file that was read, empty if none
};

// Reads the environment and the file. Errors are reported on stderr, each once (in a job only by
// the first rank), and the option concerned keeps its value. If VFTR_OFF is true, nothing else is
// read.
Configuration load_configuration();

// The same, but errors are added to `findings` instead of being printed.
Configuration read_configuration(Findings& findings);

// All options as JSON that read_configuration() can read, with a newline at the end.
std::string print_configuration(const Options& options);

// The defaults of Vftrace 2.0 in its layout, with its keys only.
std::string print_compatible_default();

// What logs show: the keys of Vftrace 2.0 in its order and, at the end of each section and of the
// whole, those other options that differ from their defaults. read_configuration() can read it.
std::string print_configuration_of_log(const Options& options);

struct ConfigurationCheck {
    unsigned errors = 0;        // the file or a value cannot be used
    unsigned unknown_keys = 0;  // Vftrace 2.0's checker did not count these as errors
    unsigned warnings = 0;      // everything else
    std::vector<Finding> findings;
};

// Checks a JSON file, ignoring the environment. Of the paths in it, only that of the scenario of
// hardware counters is followed; formulas are tried.
ConfigurationCheck check_configuration_file(const std::string& path);

// A page in Markdown with every option.
std::string document_options();

}  // namespace vftrace
