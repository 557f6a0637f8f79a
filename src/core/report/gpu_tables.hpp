// The work and utilisation of GPUs, from their own records.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// "GPU kernels" by call path, "GPU copies" by direction, "GPUs" and "GPU streams", each with its
// title, its rows and an empty line, as far as it is not empty.
void write_gpu_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                      TableOutput& out);

}  // namespace vftrace
