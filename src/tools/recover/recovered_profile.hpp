// Makes the profile of a process from its record, if the process could not write it itself.
#pragma once

#include <string>
#include <vector>

#include "config/options.hpp"
#include "profile/profile.hpp"
#include "recover/recovered_process.hpp"
#include "recover/recovery_request.hpp"

namespace vftrace {

// The configuration that the process had; the default if the record's is damaged.
Options options_of(const ProcessRecord& record);

class ProcessClock;

// The data about the run from the record and its clock: everything except its configuration's text
// and its end.
void set_run_information(RunInfo& run, const ProcessRecord& record, const ProcessClock& clock,
                         const Options& options);

// The profile with all names, and source lines if the options ask for them. Symbols are read from
// the files that the process had loaded; a warning says which of them no longer exist. `owner`: the
// user of the process.
Profile recovered_profile(RecoveredProcess& process, Occasion occasion, uid_t owner);

// The profile of a job, from those of at least one of its ranks, in ascending order. A warning
// names the ranks that are missing. The ranks' paths get the numbers (STIDs) of the job.
Profile merged_profile(const std::vector<Profile*>& profiles, const Options& options);

}  // namespace vftrace
