// Reads measurements in the formats of Extra-P (https://github.com/extra-p/extrap, its
// documentation of file formats): text, JSON lines, JSON with its older form, and that of Talpas,
// which is JSON lines with semicolons instead of commas.
#pragma once

#include <string>
#include <string_view>

#include "readers/measurements.hpp"

namespace vftrace {

// Whether the text begins like one of the formats, and not like a profile of ours.
bool is_extrap(std::string_view text);

// Throws ProfileFormatError, with the line or the position, if something is missing or wrong:
// numbers that are not finite, points that do not have all parameters, values without a point.
Measurements parse_extrap(std::string_view text);

}  // namespace vftrace
