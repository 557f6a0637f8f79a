// The figures of sections at the snapshots of a run: for scripts that plot them.
#pragma once

#include "profile/profile.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_snapshots(const Profile& profile);

void write_snapshot_table(const Profile& profile, TableOutput& out);

}  // namespace vftrace
