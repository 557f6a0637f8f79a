// Traces as the report page draws them: the longest calls and messages of all threads, and the work
// of GPUs, on one clock.
#pragma once

#include <string>

#include "export/export_format.hpp"

namespace vftrace {

// What a page holds of a trace: a browser draws this many at once.
inline constexpr std::size_t most_page_calls = 200'000, most_page_messages = 50'000;

// Bytes of the layout that doc/design/report-page.md describes, not compressed yet. Kernels and
// copies of GPUs are calls on lanes of their own, one for each stream. Of more calls than
// most_page_calls the longest are kept; the page says how long those are. `names_hosts`: whether
// labels of ranks say where these ran. `output` receives remarks about assumptions; nothing is
// written to it. Memory: about 100 bytes per call that is kept. Throws VfdError.
std::string page_trace(const ExportSource& source, bool names_hosts, ExportOutput& output);

}  // namespace vftrace
