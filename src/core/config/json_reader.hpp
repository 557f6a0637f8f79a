// Options from JSON. Invalid values are reported, and the option keeps its value.
#pragma once

#include <string>
#include <string_view>

#include "cjson/cJSON.h"
#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

// Reads the options in the file at `path`. Returns false, and does not change `options`, if it
// cannot be read or is not a JSON object. Keys may be written in any case, but only the table's
// spelling is accepted without a warning; if a key is given twice, the last value counts.
bool read_options_from_file(const std::string& path, Options& options, Findings& findings);

// The same for a text, such as the configuration in a profile or a tree file.
bool read_options_from_text(std::string_view text, Options& options, Findings& findings);

// Reads an array of objects, for an option of that type.
void read_value(const OptionRow& row, const cJSON* item, std::vector<HardwareCounter>& value,
                Findings& findings);
void read_value(const OptionRow& row, const cJSON* item, std::vector<Observable>& value,
                Findings& findings);

}  // namespace vftrace
