// The report of regions as a file in GEOPM's format (https://geopm.github.io, geopm_report(7)):
// YAML, with GEOPM's keys in GEOPM's order.
#pragma once

#include <string>
#include <string_view>

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// What the report says about the run besides its figures.
struct RegionReportHead {
    std::string profile;            // what the run is called
    std::string agent = "monitor";  // GEOPM's agent and policy, as the environment names them
    std::string policy{};
};
void write_region_yaml(const Profile& profile, const RegionReportHead& head, OutputFile& out);

// The text as a YAML scalar that is read as exactly this text, quoted if necessary.
std::string yaml_text(std::string_view text);
// The number as a scalar that YAML 1.1 and 1.2 read as a number.
std::string yaml_number(double value);

}  // namespace vftrace
