// "--OpenACC Summary--" and related tables, and the same for OpenMP constructs for devices.
#pragma once

#include "profile/profile.hpp"
#include "report/offload_rows.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Writes the devices, the table with one row per construct, with `details` that with one row per
// call path, and the transfers for each launch, each followed by an empty line.
void write_offload_tables(const Profile& profile, ProgrammingModel model, const PathText& text,
                          const ReportOptions& options, LogScope scope, bool details,
                          TableOutput& out);

// "OpenACC ratio of memcpy / kernel calls:" for each function whose constructs copy, how often they
// do, in total and per launch below the same function. Nothing without copies.
void write_offload_ratios(const Profile& profile, ProgrammingModel model, const OffloadRows& rows,
                          const PathText& text, const ReportOptions& options, TableOutput& out);

// "OpenACC event ids:" the list of the numbers in the table of details.
void write_openacc_event_ids(const Profile& profile, TableOutput& out);

}  // namespace vftrace
