// Options from JSON. Wrong values are reported and leave the option as it was.
#pragma once

#include <string>
#include <string_view>

#include "cjson/cJSON.h"
#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

// Takes over what the file at `path` says. Returns false, and leaves `options` alone, if it cannot
// be read or is not a JSON object. Keys may be written in any case, but only the table's spelling
// is accepted without a warning; of a key that is given twice the last value counts.
bool read_options_from_file(const std::string& path, Options& options, Findings& findings);

// The same for a text, such as the configuration that a profile or a tree file has.
bool read_options_from_text(std::string_view text, Options& options, Findings& findings);

// One array of objects, for an option of that type.
void read_value(const OptionRow& row, const cJSON* item, std::vector<HardwareCounter>& value,
                Findings& findings);
void read_value(const OptionRow& row, const cJSON* item, std::vector<Observable>& value,
                Findings& findings);

}  // namespace vftrace
