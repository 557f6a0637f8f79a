// The functions that write each format, for the table of formats (export_format.cpp).
#pragma once

#include "export/export_format.hpp"

namespace vftrace {

// Timelines, from traces. speedscope: from one profile, too.
void export_perfetto(const ExportSource& source, ExportOutput& output);
void export_chrome(const ExportSource& source, ExportOutput& output);
void export_speedscope(const ExportSource& source, ExportOutput& output);
void export_otf2(const ExportSource& source, ExportOutput& output);

// Profiles, from profiles or traces.
void export_collapsed(const ExportSource& source, ExportOutput& output);
void export_callgrind(const ExportSource& source, ExportOutput& output);
void export_pprof(const ExportSource& source, ExportOutput& output);
void export_hatchet(const ExportSource& source, ExportOutput& output);
void export_extrap(const ExportSource& source, ExportOutput& output);
void export_extrap_json(const ExportSource& source, ExportOutput& output);
void export_extrap_text(const ExportSource& source, ExportOutput& output);
void export_extrap_talpas(const ExportSource& source, ExportOutput& output);
void export_csv(const ExportSource& source, ExportOutput& output);
void export_geopm(const ExportSource& source, ExportOutput& output);
void export_darshan(const ExportSource& source, ExportOutput& output);
void export_prometheus(const ExportSource& source, ExportOutput& output);
void export_json(const ExportSource& source, ExportOutput& output);
void export_perfgraph(const ExportSource& source, ExportOutput& output);

// For compilers and linkers, from profiles.
void export_autofdo(const ExportSource& source, ExportOutput& output);
void export_function_order(const ExportSource& source, ExportOutput& output);
void export_section_order(const ExportSource& source, ExportOutput& output);

}  // namespace vftrace
