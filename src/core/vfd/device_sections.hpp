// The sections of a vfd file about the work of devices.
#pragma once

#include <cstdint>

#include "profile/paths_of_nodes.hpp"
#include "vfd/trace_file_reader.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_writer.hpp"

namespace vftrace {

struct DeviceFigures {
    std::uint64_t pieces = 0;   // pieces of work in the file
    std::uint64_t dropped = 0;  // pieces for which there was no room
};

// Writes the sections, if the trace has such data; to be called between two other sections. Memory:
// the chunks of work whose times overlap.
DeviceFigures write_device_sections(VfdWriter& writer, VfdOutput& out, TraceFileReader& file,
                                    const PathsOfNodes& nodes, const TraceTimes& times);

}  // namespace vftrace
