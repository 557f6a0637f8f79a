// "--OpenACC Summary--" and related tables, and the same for OpenMP constructs for devices.
#pragma once

#include "profile/profile.hpp"
#include "report/offload_rows.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// The devices, the table with one row a construct; with `details` that with one row a call path;
// then the transfers for each launch. Each with an empty line.
void write_offload_tables(const Profile& profile, ProgrammingModel model, const PathText& text,
                          const ReportOptions& options, LogScope scope, bool details,
                          TableOutput& out);

// "OpenACC ratio of memcpy / kernel calls:" for each function whose constructs copy, how often they
// do, and how often that is for each launch below the same function. Nothing without copies.
void write_offload_ratios(const Profile& profile, ProgrammingModel model, const OffloadRows& rows,
                          const PathText& text, const ReportOptions& options, TableOutput& out);

// "OpenACC event ids:" the list of the numbers in the table of details.
void write_openacc_event_ids(const Profile& profile, TableOutput& out);

}  // namespace vftrace
