// The profile that a user means by the name of a file: people name the text log that they have
// read, but the figures are in the JSON beside it.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace::tools {

// For a text log of vftrace ("heat_all.log", "heat_all_mpi.log") the path of the JSON that belongs
// to it; any other path as it is. Throws CommandError, which names the JSON, if there is none or if
// it is of another run.
std::string profile_file(const std::string& path);

// The profile of a JSON file, or of the JSON that lies beside a text log. Throws CommandError, or
// ProfileFormatError if the file is not a profile.
Profile read_profile(const std::string& path);

}  // namespace vftrace::tools
