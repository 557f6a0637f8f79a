// Writes a profile as JSON, for tools and scripts. doc/profile-json.md describes the file.
#pragma once

#include <string>

#include "base/function_ref.hpp"
#include "base/output_file.hpp"
#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Needs no memory that grows with the profile. RunInfo::config_text must be empty or valid JSON: it
// is embedded unchanged. write_more() may add members to the document, which readers of profiles do
// not need.
void write_profile_json(const Profile& profile, OutputFile& out,
                        FunctionRef<void(JsonWriter&)> write_more);
void write_profile_json(const Profile& profile, OutputFile& out);

// Writes to a new file, which replaces any existing one. Returns 0, or the errno of the first
// failure.
int write_profile_json(const Profile& profile, const std::string& path);

}  // namespace vftrace
