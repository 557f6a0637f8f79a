// Makes one Profile from the trees of all threads of a process.
#pragma once

#include <cstdint>
#include <string>

#include "collate/filtered_functions.hpp"
#include "profile/paths_of_nodes.hpp"
#include "profile/profile.hpp"
#include "record/message_figures.hpp"
#include "record/process_record.hpp"
#include "symbol/code_file.hpp"
#include "symbol/perf_map.hpp"

namespace vftrace {

struct CollectSettings {
    std::uint64_t end_ticks = 0;  // calls that are still open are assumed to end here
    double ns_per_tick = 1;
    Calibration calibration{};  // what calls cost, ticks
    bool corrected = false;     // subtract that from all times
    // Functions without rows of their own, in addition to those that this process knows to be
    // unwanted.
    std::vector<CodePlace> filtered{};
    // OpenMP constructs are named after their lines in the source, as far as these can be found.
    bool source_lines = true;
    std::uint64_t memory_bytes = 0;  // what the trees of all threads occupy
    RequestCounts requests{};        // of MPI; only the process itself knows
    std::string visible_gpus{};      // see RunInfo; only the process itself knows
    PathsOfNodes* nodes = nullptr;   // optional: receives the path of each node
    std::string process_folder{};    // see CodeFiles; "" if the process has ended
    CodeFiles* files = nullptr;      // optional: those of the process, instead of process_folder
    PerfMapFile perf_map{};
};

// Fills modules, functions (without display names; source lines only for OpenMP constructs), paths,
// threads, parallel regions, messages and GPUs, and of `run`: paused_ns, overhead, threads,
// memory_bytes, visible_gpus, notices; `run.uses_mpi`, `run.rank` and `run.counters` must be set.
//
// `process` is the record of this process or one that was read from a file, whose pointers then
// refer to memory of this process; counts, times and numbers in it may have any value. Threads of
// this process may continue to run: calls in progress are included up to the point that they have
// reached.
void collect_profile(Profile& profile, const ProcessRecord& process,
                     const CollectSettings& settings);

// Gives a profile without paths its root.
void add_root(Profile& profile);

}  // namespace vftrace
