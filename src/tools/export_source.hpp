// The files of a command line, opened as sources of exports and report pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "readers/vfd_reader.hpp"

namespace vftrace::tools {

// Whether the file is a profile, or the log next to one; otherwise it may be a trace.
bool is_profile(const std::string& file);

// The traces of one run, sorted by rank; says on stderr which are missing. Throws CommandError if
// they are from different runs or from the same rank, or VfdError.
std::vector<std::unique_ptr<VfdFile>> open_traces(const std::vector<std::string>& files);

// "out/heat_0.vfd" -> "out/heat_0.trace.json", for the suffix ".trace.json"; of several files what
// their names have in common.
std::string default_output(const std::string& suffix, const std::vector<std::string>& files);

// Throws CommandError if `output` is one of the files.
void check_output(const std::string& output, const std::vector<std::string>& files);

// Says it on stderr.
void remark(const std::string& text);

}  // namespace vftrace::tools
