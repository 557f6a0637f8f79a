// The sections of a vfd file about the work of devices.
#pragma once

#include <cstdint>

#include "profile/paths_of_nodes.hpp"
#include "vfd/trace_file_reader.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_writer.hpp"

namespace vftrace {

struct DeviceFigures {
    std::uint64_t pieces = 0;   // of work, in the file
    std::uint64_t dropped = 0;  // that there was no room for
};

// Writes them, if the trace has anything of the kind; to be called between two other sections.
// Memory: the chunks of work whose times overlap.
DeviceFigures write_device_sections(VfdWriter& writer, VfdOutput& out, TraceFileReader& file,
                                    const PathsOfNodes& nodes, const TraceTimes& times);

}  // namespace vftrace
