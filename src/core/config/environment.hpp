// Options from environment variables: VFTR_ + path in capitals, underscores for dots.
#pragma once

#include <string_view>

#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

// The variable that names the JSON file, the only one in addition to those of the options.
inline constexpr const char* config_file_variable = "VFTR_CONFIG";

// 1, yes, y, on, true, t and 0, no, n, off, false, f ignoring case; nothing for any other text.
std::optional<bool> parse_boolean(std::string_view text);

// Reads `text` as the value of the option `path`, like read_options_from_environment(); errors are
// added to `findings`.
void read_option(std::string_view path, std::string_view text, Options& options,
                 Findings& findings);

// Reads every option that is in the environment, and warns about variables that begin with VFTR_
// but do not belong to an option. An empty variable counts as unset, or as null if the option may
// be null. Arrays are given as JSON.
void read_options_from_environment(Options& options, Findings& findings);

}  // namespace vftrace
