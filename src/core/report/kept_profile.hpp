// The profile of the run before this one, if a short run would overwrite that of a long one: the
// long run cannot easily be repeated.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// If `<base>all.json` is from a run of more than a second, and of more than ten times the time of
// this one, it is renamed to `<base>all.json.1`, and its log likewise; a notice in the profile says
// so. Anything that is not a profile of the user's own is left alone.
void keep_longer_profile(Profile& profile, const std::string& base);

}  // namespace vftrace
