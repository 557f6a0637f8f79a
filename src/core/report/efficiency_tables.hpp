// Tables of the efficiencies of a run and its regions, and of several runs; and the same in JSON.
#pragma once

#include <string>
#include <vector>

#include "efficiency/efficiencies.hpp"
#include "profile/json_writer.hpp"
#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Whether efficiency could be lost: with several ranks, OpenMP or GPUs.
bool has_efficiencies(const Profile& profile);

void write_efficiency_table(const Profile& profile, const ReportOptions& options, TableOutput& out);

// `names`: the names of the runs as they are shown.
void write_scaling_tables(const std::vector<const Profile*>& runs,
                          const std::vector<std::string>& names, Scaling scaling, TableOutput& out);

// The member "efficiencies" of the object that is being written; nothing if there are none.
void write_efficiencies_json(const Profile& profile, const char* regions, JsonWriter& json);

}  // namespace vftrace
