// The profile that a user means by a file name: users name the text log that they have read, but
// the figures are in the JSON file next to it.
#pragma once

#include <optional>
#include <string>

#include "profile/profile.hpp"

namespace vftrace::tools {

// For a text log of vftrace ("heat_all.log", "heat_all_mpi.log") the path of the JSON that belongs
// to it; any other path as it is. Throws CommandError, which names the JSON, if there is none or if
// it is from another run.
std::string profile_file(const std::string& path);

// The profile of a JSON file, or of the JSON file next to a text log. Throws CommandError, or
// ProfileFormatError if the file is not a profile.
Profile read_profile(const std::string& path);

// Writes a profile as a run writes it, with the efficiencies of the regions that were requested for
// the run. Throws CommandError.
void write_profile(const Profile& profile, const std::string& path);

// The text of the option `section`.`key` in the run of the profile; nothing if the option is null
// or not in the profile.
std::optional<std::string> option_of_run(const Profile& profile, const char* section,
                                         const char* key);

}  // namespace vftrace::tools
