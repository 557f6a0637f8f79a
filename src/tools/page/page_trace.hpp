// Traces as the report page draws them: the longest calls and messages of all threads, and the work
// of GPUs, on one clock.
#pragma once

#include <string>

#include "export/export_format.hpp"

namespace vftrace {

// How much of a trace a page contains: a browser draws this much at once.
inline constexpr std::size_t most_page_calls = 200'000, most_page_messages = 50'000;

// Bytes in the layout that doc/design/report-page.md describes, not compressed yet. Kernels and
// copies of GPUs are calls on separate lanes, one for each stream. If there are more calls than
// most_page_calls, the longest are kept; the page shows how long those are. `names_hosts`: whether
// labels of ranks include the host. `output` receives remarks about assumptions; nothing is written
// to it. Memory: about 100 bytes per call that is kept. Throws VfdError.
std::string page_trace(const ExportSource& source, bool names_hosts, ExportOutput& output);

}  // namespace vftrace
