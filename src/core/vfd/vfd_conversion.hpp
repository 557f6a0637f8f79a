// Converts the chunks that a process wrote while it ran (.tmpvfd) to a vfd file. This is done by
// the process itself at its end, or by `vftrace recover` for a process that could not.
#pragma once

#include <cstdint>
#include <string>

#include "base/directories.hpp"
#include "profile/paths_of_nodes.hpp"
#include "profile/profile.hpp"
#include "record/trace_file.hpp"

namespace vftrace {

struct VfdConversion {
    std::string trace_file;     // the chunks
    int trace_descriptor = -1;  // the open file, if that must be the one that is read
    std::string vfd_file;       // written under another name, and renamed when complete
    OutputFolder folder{};      // of vfd_file
    // The profile of this process alone: paths, functions (with names), modules, run. The numbers
    // of its paths become the file's stack ids.
    const Profile* profile = nullptr;
    const PathsOfNodes* nodes = nullptr;
    double ns_per_tick = 1.0;
    std::uint64_t end_ticks = 0;  // of the run: the exit of init
};

struct VfdFigures {
    std::uint64_t function_samples = 0;  // of all threads
    std::uint64_t message_samples = 0;
    std::uint64_t dropped_events = 0;
    std::uint64_t dropped_work = 0;    // of devices
    std::uint64_t bytes = 0;           // of the file; 0 if there is none
    std::uint64_t damaged_chunks = 0;  // left out, wholly or in part
    // One line without a file name; empty on success. If there is a file, the line states what the
    // file could not contain.
    std::string error;
};

// Memory does not depend on the length of the trace: events are streamed, and messages are sorted
// chunk by chunk. Runtime code: no exceptions except those of containers that cannot allocate
// memory.
VfdFigures convert_to_vfd(const VfdConversion& conversion);

}  // namespace vftrace
