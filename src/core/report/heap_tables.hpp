// What the tables of allocated memory share.
#pragma once

#include <string>
#include <vector>

#include "profile/heap.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Writes half the width of the interval, in %; blank if the value is exact.
void write_error(const Estimate& estimate, TableRow& cells);

// Writes function, caller, STID and call path of a path.
void write_place(const Profile& profile, std::uint32_t path, const PathText& text, TableRow& cells);

// "heat.cpp:120", or "libheat.so+0x12a0" without debug information.
std::string place_text(const Profile& profile, const HeapSiteRow& site);

// heap_region_table.cpp: nothing without sections, regions or tasks.
void write_heap_region_table(const Profile& profile, const std::vector<PathHeap>& paths,
                             const PathText& text, const ReportOptions& options, TableOutput& out);

// heap_series_table.cpp: of the rank with the highest peak.
void write_heap_series_table(const Profile& profile, const std::vector<PathHeap>& paths,
                             const std::vector<RankHeap>& ranks, const PathText& text,
                             const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
