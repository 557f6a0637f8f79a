// What a run prints at its end: the report, if requested, and a line that names the profile.
//
// Printed once per job, by MPI rank 0, and not by children of fork. MPI_Finalize writes the
// profile, but the program may still print afterwards, so this happens when the process ends.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// The files of the whole run have been written: `base` + "all.log" and, if wanted, "all.json".
void note_end_message(const Profile& profile, const std::string& base);

// The process ends now: prints the message. Does nothing if there is none, or it has been printed.
// Async-signal-safe after note_end_message().
void report_end_message();

}  // namespace vftrace
