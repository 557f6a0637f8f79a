// Turns what a process has annotated for other tools (record/annotation_rows.hpp) into rows.
#pragma once

#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// The functions of the profile already have their names.
void collect_annotations(Profile& profile, const ProcessRecord& process);

}  // namespace vftrace
