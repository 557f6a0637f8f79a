// The files of a command line, opened as sources of exports and report pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "readers/vfd_reader.hpp"

namespace vftrace::tools {

// Whether the file is a profile, or the log next to one; if it is neither, it may be a trace.
bool is_profile(const std::string& file);

// The traces of one run, sorted by rank; reports missing ones on stderr. Throws CommandError if
// they are from different runs or two are from the same rank, and VfdError.
std::vector<std::unique_ptr<VfdFile>> open_traces(const std::vector<std::string>& files);

// "out/heat_0.vfd" -> "out/heat_0.trace.json", for the suffix ".trace.json"; with several files,
// the part that their names have in common is used.
std::string default_output(const std::string& suffix, const std::vector<std::string>& files);

// Throws CommandError if `output` is one of the files.
void check_output(const std::string& output, const std::vector<std::string>& files);

}  // namespace vftrace::tools
