// What a run says at its end: the report, if it was asked for, and a line on where the profile is.
//
// Once a job, by rank 0 of MPI, and not by children of fork. MPI_Finalize writes the profile, but
// the program may go on to print; so it is said when the process ends.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// The files of the whole run are written: `base` + "all.log" and, if wanted, "all.json".
void note_end_message(const Profile& profile, const std::string& base);

// The process ends now. Does nothing if there is nothing to say, or it was said. Async-signal-safe
// after note_end_message().
void tell_end_message();

}  // namespace vftrace
