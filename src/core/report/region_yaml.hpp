// The report of regions as a file in GEOPM's format (https://geopm.github.io, geopm_report(7)):
// YAML, with GEOPM's keys in GEOPM's order.
#pragma once

#include <string>
#include <string_view>

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// `profile_name`: what the run is called in the report.
void write_region_yaml(const Profile& profile, std::string_view profile_name, OutputFile& out);

// The text as a YAML scalar that is read as exactly this text, quoted if necessary.
std::string yaml_text(std::string_view text);
// The number as a scalar that YAML 1.1 and 1.2 read as a number.
std::string yaml_number(double value);

}  // namespace vftrace
