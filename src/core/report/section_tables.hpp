// "Performance Graph:" and the other tables of sections.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// The tables that options.sections asks for.
void write_section_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
