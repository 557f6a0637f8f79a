// Computes the profile of a process from its trace. For tools.
#pragma once

#include <string>
#include <vector>

#include "export/export_format.hpp"
#include "profile/profile.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// Replays the samples of all threads. From a trace of every call (interval 0), calls, inclusive and
// exclusive times are those of the run, as exact as the profile's. In a thinned one, the
// time in which events were left out is in paths of their own ("[left out]") below the innermost
// call that was open throughout, and calls are those that are in the trace; RunInfo::notices
// reports this, and also dropped events. All other call paths have the numbers of the file's
// stacks, except for their STIDs. Throws VfdError for a damaged file.
Profile profile_of_trace(const VfdFile& trace);

// What is exported, as profiles: those of the source, or those of its traces.
struct SourceProfiles {
    std::vector<Profile> of_traces;
    std::vector<const Profile*> profiles;
    std::vector<std::string>
        names;  // of each, to distinguish it from the others; empty if there is one
};

// `output` receives remarks about assumptions and missing data. Throws VfdError.
SourceProfiles profiles_of_source(const ExportSource& source, ExportOutput& output);

// The same as one profile: several ranks of a run are merged. Throws ExportError if the profiles
// are not ranks of one run.
Profile merged_profile_of_source(const ExportSource& source, ExportOutput& output);

}  // namespace vftrace
