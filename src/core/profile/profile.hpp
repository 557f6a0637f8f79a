// The finished profile of one run: an immutable value.
//
// Everything that is made from it (text logs, JSON, exports, output of the vftrace command) is a
// pure function of it. Functions and paths refer to each other by index, so a profile of a million
// paths stays compact and can be written as a stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/addresses.hpp"
#include "profile/latencies.hpp"
#include "profile/paths.hpp"
#include "profile/run_info.hpp"
#include "record/annotation_words.hpp"
#include "record/file_kinds.hpp"
#include "record/gpu_work.hpp"
#include "record/lock_kinds.hpp"
#include "record/message_figures.hpp"
#include "record/metrics.hpp"
#include "record/region_rows.hpp"
#include "record/wait_patterns.hpp"

namespace vftrace {

// A further figure, of call paths, threads or processes: what a separate source has measured.
struct Metric {
    std::string name;    // "hwprof.CYCLES": source (record/sources.inc), a dot, and what it is
    std::string unit{};  // "ns", "B", ...; empty: a number of something
    Reduction reduction = Reduction::sum;  // how values of threads and ranks are combined
    MetricScope scope = MetricScope::path;
    MetricPart part = MetricPart::exclusive;
    std::string title{};  // what columns of tables are called, without unit; empty: the name
    // How it is computed from others of the same source and scope, by the last part of their names;
    // empty: it is measured.
    std::string formula{};
};

struct MetricValue {
    std::uint32_t path;    // index into Profile::paths; values are sorted by it, and by metric
    std::uint32_t metric;  // index into Profile::metrics
    double value;
};

// The value of a metric in a row that has its own values.
struct RowMetric {
    std::uint32_t metric;  // index into Profile::metrics
    double value;
};

// A value of one rank's process.
struct RankMetric {
    std::uint32_t rank;
    std::uint32_t metric;  // index into Profile::metrics
    double value;
};

// A value of a host, or of a device there, as all of the host's ranks have read it.
struct HostMetric {
    std::string host;
    std::string device;    // "package-0"; empty: of the host
    std::uint32_t metric;  // index into Profile::metrics
    double value;
};

// The report of a region, or of all (record/region_rows.hpp), on a host, from the trees of its
// processes. `processes` is their number.
struct RegionFigures {
    std::string host;
    std::uint64_t machine = 0;  // distinguishes hosts with equal names
    RegionPart part = RegionPart::region;
    std::uint32_t function = no_index;  // of which the region is; no_index: part is not `region`
    std::uint64_t id = 0;               // RegionMetric::id
    std::uint64_t processes = 0;        // that were in it; for the application all
    std::int64_t runtime_ns = 0;        // sum over processes; for several threads their mean
    double entries = 0;                 // the same; for epochs how many there were
    std::int64_t overhead_ns = 0;       // for the application; sum over processes
    std::uint64_t peak_bytes = 0;       // for the application: largest resident memory of a process
};

// A value that was sampled on a host: while all threads there were in a region, or over all of
// them. All parts but `unmarked` have RegionFigures of the same part.
struct RegionMetric {
    std::string host;
    std::uint64_t machine = 0;
    RegionPart part = RegionPart::region;
    std::uint64_t id = 0;      // of the region (record/region_id.hpp); 0: part is not `region`
    std::uint32_t metric = 0;  // index into Profile::metrics
    double value = 0;
};

// Values of one rank's process over time.
struct Series {
    struct Point {
        std::int64_t ns;  // since the rank began to record
        double value;
    };
    std::uint32_t rank = 0;
    std::uint32_t metric = 0;       // index into Profile::metrics
    std::uint32_t path = no_index;  // of a call path; no_index: of the process
    std::uint64_t missed = 0;       // readings that could not be made in time
    std::vector<Point> points{};    // in the order of time
};

// A section of the earlier run that this one continues, with its own figures there. The root, the
// program, has no name, and is its own parent.
struct EarlierSection {
    std::uint64_t id = 0;      // earlier_section_id(); 0 for the root
    std::uint64_t parent = 0;  // id of the section around it
    std::string name;
    std::uint8_t level = 0;
    std::uint32_t place = 0;  // in the table of that run
    std::uint64_t calls = 0;
    std::int64_t self_ns = 0;
    std::int64_t self_memory = 0;                            // bytes
    std::int64_t longest_self_ns = 0, longest_total_ns = 0;  // of one rank
};

// Exclusive time of one path over the ranks that it occurs on.
struct RankSpread {
    std::uint32_t ranks = 0;  // the number on which it occurs
    std::uint32_t min_rank = 0, max_rank = 0;
    std::int64_t min_ns = 0, max_ns = 0;
};

// One path on each rank of a job, for the paths with much of its time (collate/rank_values.hpp).
struct RankValues {
    std::uint32_t path = 0;  // index into Profile::paths
    // By rank, RunInfo::ranks each; 0 if the rank does not have the path, or is not in
    // Profile::ranks. Empty in jobs with more ranks than the option json_values_by_rank allows.
    std::vector<std::uint64_t> calls{};
    std::vector<std::int64_t> exclusive_ns{};
    // The number of ranks by exclusive time: element b counts those from smallest_size(b) to
    // largest_size(b) ns, and element 0 also those without the path. The last one is not 0.
    std::vector<std::uint32_t> histogram{};
};

// Messages in one direction.
struct MessageFigures {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0;         // sum over the messages: from the call to the noticed completion
    double bandwidth_sum = 0.0;  // sum over the messages of bytes / s; the mean is sum / messages
};

// What the MPI calls of one path sent and received. Every message of a collective counts.
struct PathMessages {
    std::uint32_t path = 0;  // index into Profile::paths
    MessageFigures sent, received;
};

// Element of the communication matrix, by call path: point-to-point and one-sided messages.
struct PeerMessages {
    std::uint32_t rank = 0;  // whose call it was
    std::int32_t peer = 0;   // the other side, in MPI_COMM_WORLD, or unknown_peer
    std::uint32_t path = 0;
    MessageFigures sent, received;
};

// A function of CUDA.
struct GpuFunction {
    std::uint64_t id = 0;  // gpu_call_id()
    std::string name;      // "cudaMemcpyAsync"
};

// On how many ranks something occurs, and the smallest and largest count on one of those. All are 0
// if it is not known.
struct CountByRank {
    std::uint32_t ranks = 0;
    std::uint64_t fewest = 0, most = 0;
};

// What the calls of one path had GPUs do, asynchronously: not part of the path's own time.
struct PathGpuWork {
    std::uint32_t path = 0;             // index into Profile::paths; the root: it is not known
    std::uint32_t function = no_index;  // of kind `gpu`: the kernel; no_index: no kernel
    GpuWork work = GpuWork::kernel;
    std::uint64_t count = 0;
    std::int64_t ns = 0, shortest_ns = 0, longest_ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t timely = 0;    // of `count`: those whose wait is known
    std::int64_t waited_ns = 0;  // from the beginning of the call to the start on the device; sum
    CountByRank by_rank{};       // of the profile of several ranks
};

struct GpuStreamFigures {
    // CUPTI's numbers. All four are no_index in the row for those that merging the ranks of a large
    // job left out.
    std::uint32_t rank = 0, device = 0, context = 0, stream = 0;
    std::uint64_t kernels = 0, copies = 0, bytes = 0;  // memsets count as copies
    std::int64_t kernel_ns = 0, copy_ns = 0;
    std::int64_t span_ns = 0;  // from the first start to the last end
};

// Of span_ns, the time from the first start to the last end, when at least one kernel, one copy,
// and both at once were under way.
struct GpuDeviceFigures {
    std::uint32_t rank = 0, number = 0;
    std::string name;  // "NVIDIA H200"
    std::int64_t kernel_ns = 0, copy_ns = 0, overlap_ns = 0, span_ns = 0;
};

// Transfers or allocations.
struct TransferFigures {
    std::uint64_t count = 0, bytes = 0;
};

// What constructs of OpenACC or OpenMP at one path moved to and from devices and allocated there.
struct PathTransfers {
    std::uint32_t path = 0;  // index into Profile::paths
    TransferFigures to_device, to_host, on_device;
};

// A device that constructs were meant for. There is nothing to add up.
struct ConstructDeviceFigures {
    std::uint32_t rank = 0;
    ProgrammingModel model = ProgrammingModel::openacc;
    bool is_host = false;     // the program's own processor
    std::int32_t number = 0;  // that the model gives it
};

// One line of the run's information for each rank.
struct RankFigures {
    std::uint32_t rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::uint32_t threads = 1;
    std::int64_t runtime_ns = 0;
    std::int64_t overhead_ns = 0;
    std::int64_t mpi_ns = 0;  // exclusive time of all MPI functions on all threads
    std::uint64_t memory_bytes = 0;
    std::uint64_t calls = 0;      // of all paths
    std::int64_t mpi_calls = -1;  // of these, of MPI functions; -1: not known
    std::int64_t delay_ns = -1;   // as in RunInfo; -1: not known
};

// One thread, or several that have ended and began with the same call.
struct ThreadFigures {
    // In the row for those that merging the ranks of a large job left out, rank, number and start
    // are no_index.
    std::uint32_t rank = 0;
    std::uint32_t number = 0;  // in the order of first events on its rank; of the first of several
    std::string name;          // that the program gave it, or empty
    std::uint32_t start = 0;   // path it began with ("work<[thread]<main<init"); 0 if there is none
    bool openmp_worker = false;        // created by an OpenMP library for its teams
    std::uint64_t threads = 1;         // how many they are
    std::uint64_t calls = 0;           // of functions, regions, MPI and OpenMP constructs
    std::int64_t time_ns = 0;          // in all of that
    std::int64_t parallel_ns = 0;      // of time_ns, in OpenMP parallel regions, including waiting
    std::int64_t waiting_ns = 0;       // of time_ns, in OpenMP barriers, locks and other waits
    std::int64_t lifetime_ns = 0;      // from first event to end; sum over threads
    std::vector<RowMetric> metrics{};  // of scope `thread`, sorted by metric
    std::string processors{};          // on which it could run at its end: "0-3,8"; "": not known
    std::string core{};  // "0": the lowest of the processors of its core; "": several, or not known
};

// What one thread (or row of ThreadFigures) spent in one path.
struct ThreadPath {
    std::uint32_t thread = 0;  // index into Profile::threads
    std::uint32_t path = 0;    // index into Profile::paths
    std::uint64_t calls = 0;
    std::int64_t inclusive_ns = 0, exclusive_ns = 0;
};

// The asynchronous tasks that a thread (or row of ThreadFigures) ran, and its time for them.
struct TaskLoop {
    // In the row for those that merging the ranks of a large job left out, rank, number and
    // longest_task are no_index.
    std::uint32_t rank = 0;
    std::uint32_t number = 0;               // ThreadFigures::number
    std::uint32_t longest_task = no_index;  // path of the task that had the longest run
    std::uint64_t threads = 1;              // how many they are
    std::int64_t busy_ns = 0;               // in runs of tasks; sum over threads
    std::int64_t longest_run_ns = 0;        // without a pause, own time of the task
    std::int64_t lifetime_ns = 0;           // from first event to end; sum over threads
    std::int64_t outside_ns = -1;           // processor time outside tasks; -1: not known
};

// How the work in the parallel regions of one path was spread over the threads of their teams.
struct ParallelRegion {
    std::uint32_t path = 0;        // index into Profile::paths
    std::uint64_t entries = 0;     // how often a team was formed
    std::uint64_t threads = 0;     // different ones in all teams; summed over ranks
    std::int64_t busy_ns = 0;      // time of implicit tasks without waiting; sum over threads
    std::int64_t busy_max_ns = 0;  // of the thread with the most of it
    std::int64_t waiting_ns = 0;   // in barriers and other waits in the region; sum over threads
};

// How long calls of a path have waited for a lock, in time without a processor, while the thread
// that had it was in one path.
struct LockWait {
    std::uint32_t module = no_index;  // index into Profile::modules: the lock is in its data
    std::uint64_t offset = 0;         // there; 0 without a module
    std::uint32_t origin = no_index;  // else the path that made it, or that waited for it first
    LockKind kind = LockKind::none;
    std::uint32_t path = 0;           // index into Profile::paths: of the function that waited
    std::uint32_t holder = no_index;  // path of the thread that had the lock; no_index: not known
    std::string name{};               // of a lock with a module
    std::uint64_t waits = 0;          // calls that waited
    std::int64_t ns = 0, longest_ns = 0;
};

// What a path has allocated at one place in the code.
struct HeapSiteRow {
    std::uint32_t path = 0;           // index into Profile::paths
    std::uint32_t module = no_index;  // index into Profile::modules; no_index: not known
    std::uint64_t offset = 0;         // in the module: the end of the call's instruction
    std::string file{};               // "": not known
    std::uint32_t line = 0;
    std::uint64_t allocated = 0;  // bytes
    double calls = 0;
    std::uint64_t live = 0, at_peak = 0;  // bytes: at the end, and at the peak of the process
};

// What the threads of this number did with the large blocks that a path has allocated at one place,
// while they were on processors of one memory node (record/placement_rows.hpp).
struct Placement {
    std::uint32_t path = 0;           // index into Profile::paths
    std::uint32_t module = no_index;  // as in HeapSiteRow
    std::uint64_t offset = 0;
    std::uint32_t thread = 0;  // ThreadFigures::number
    std::uint32_t memory_node = 0;
    std::uint64_t touches = 0, touches_seen = 0;
    std::uint64_t touched = 0;  // bytes
    std::uint64_t near_uses = 0, far_uses = 0, other_uses = 0;
};

// Calls by the number of bytes that they moved, in the ranges of record/file_rows.hpp.
struct FileSizes {
    std::uint64_t calls = 0;
    std::uint64_t below_100 = 0, below_1k = 0, below_10k = 0, below_100k = 0, below_1m = 0,
                  below_4m = 0, below_10m = 0, below_100m = 0, below_1g = 0, larger = 0;
};

// What the calls of a path did with a file (record/file_rows.hpp).
struct FileCalls {
    std::uint32_t path = 0;  // index into Profile::paths: of the call
    std::string file{};      // its name; "" if it has none, or is not known
    FileKind kind = FileKind::file;
    std::uint64_t calls = 0;              // that were timed
    std::uint64_t buffered = 0;           // others, that needed nothing but the buffer of a stream
    std::uint64_t failed = 0;             // of `calls`
    std::uint64_t read = 0, written = 0;  // bytes
    std::int64_t ns = 0, longest_ns = 0;
    std::uint64_t placed = 0, sequential = 0, consecutive = 0, unaligned = 0;
    FileSizes sizes{};
};

// A file, by all calls.
struct FileFigures {
    std::string file{};
    FileKind kind = FileKind::file;
    std::uint64_t file_system = 0;  // the number that the kernel has for its type; 0: not known
    std::uint32_t block = 0;        // bytes; 0: not known
    // Ranks that used it, that read it, that wrote to it, and that did both.
    std::uint32_t ranks = 0, readers = 0, writers = 0, read_and_wrote = 0;
    std::uint64_t read = 0, written = 0;            // bytes
    std::uint64_t most_read = 0, most_written = 0;  // by one rank
    std::int64_t ns = 0;
    std::int64_t first_ns = 0, last_ns = 0;  // since the rank began to record: the first timed call
                                             // begins, the last one ends
};

// What the program has annotated for another tool, by name (record/annotation_rows.hpp). The times
// of regions are those of the paths with this name.
struct Annotation {
    AnnotationInterface interface = AnnotationInterface::kokkos;
    AnnotationRole role = AnnotationRole::region;
    std::string name{}, detail{};
    std::uint64_t events = 0;  // of what is not a region
    std::uint64_t merged = 0;  // with the region of another interface around it
    std::uint64_t unmatched = 0, crossed = 0;
    std::uint64_t bytes = 0;
    std::int64_t live = 0, peak = 0;  // bytes; the peaks of ranks are added up
    std::uint64_t values = 0;
    double sum = 0, smallest = 0, largest = 0;  // of these
};

// How long a rank has waited for others in a path, from the analysis of traces (doc/waits.md).
struct WaitState {
    std::uint32_t rank = 0;
    std::uint32_t path = 0;  // index into Profile::paths: of the call that waited
    WaitPattern pattern = WaitPattern::late_sender;
    std::uint64_t waits = 0;
    std::int64_t ns = 0;
    std::int64_t longest_ns = 0;
};

// What a rank did while others waited for it, summed over all that waited.
struct WaitCause {
    std::uint32_t rank = 0;  // that was waited for
    std::uint32_t path = 0;  // index into Profile::paths: where it was meanwhile
    WaitPattern pattern = WaitPattern::late_sender;
    std::uint32_t waiting_path = 0;  // index into Profile::paths: where the others waited
    std::int64_t ns = 0;
};

// What is on the critical path of the run.
struct CriticalPath {
    std::uint32_t rank = 0;
    std::uint32_t path = 0;  // index into Profile::paths
    std::int64_t ns = 0;
    // Of that, what exceeds the mean of the call path's time over all ranks: the run could be this
    // much shorter if all ranks did the same.
    std::int64_t imbalance_ns = 0;
};

struct Profile {
    RunInfo run;
    std::vector<Module> modules;
    std::vector<Function> functions;
    std::vector<Path> paths;  // paths[0] is the root; parents come before their children
    std::vector<FilteredFunction> filtered;
    std::vector<Metric> metrics;
    std::vector<MetricValue> metric_values;
    std::vector<RankMetric> rank_metrics;  // sorted by rank and metric
    std::vector<HostMetric> host_metrics;  // sorted by host, device and metric
    std::vector<RegionFigures> regions;    // of the report of regions; sorted by their keys
    std::vector<RegionMetric> region_metrics;
    std::vector<Series> series;  // sorted by rank, metric and path; of one run only

    std::vector<EarlierSection> earlier_sections;  // sorted by id; parents are among them

    std::vector<ThreadFigures> threads;  // sorted by rank and number
    // Sorted by thread and path. Of a single process with several threads; empty otherwise.
    std::vector<ThreadPath> thread_paths;
    std::vector<TaskLoop> task_loops;              // sorted by rank and number; empty without tasks
    std::vector<ParallelRegion> parallel_regions;  // sorted by path; empty without OpenMP

    // Sorted by module, offset, origin, kind, path, holder; of runs with `vftrace run --waiting`.
    std::vector<LockWait> lock_waits;
    std::vector<HeapSiteRow> heap_sites;
    std::vector<Annotation> annotations;  // sorted by interface, role, name, detail
    std::vector<FileCalls> file_calls;
    std::vector<FileFigures> files;
    std::vector<Placement> placement;

    std::vector<PathAddresses> addresses;  // sorted by path and module
    std::vector<PathLatencies> latencies;  // sorted by path; only paths with several calls

    // Of a run with GPUs; empty otherwise.
    std::vector<GpuFunction> gpu_functions;     // sorted by id
    std::vector<PathGpuWork> gpu_work;          // sorted by path, function, work
    std::vector<GpuStreamFigures> gpu_streams;  // sorted by rank, device, context, stream
    std::vector<GpuDeviceFigures> gpu_devices;  // sorted by rank and number

    // Of a run with constructs for devices; empty otherwise.
    std::vector<PathTransfers> transfers;  // sorted by path
    std::vector<ConstructDeviceFigures>
        construct_devices;  // sorted by rank, model, is_host, number

    // Of a run with MPI; empty otherwise.
    std::vector<RankFigures> ranks;       // by rank; one element in a rank's own profile
    std::vector<RankSpread> spread;       // by path; empty in a rank's own profile
    std::vector<RankValues> rank_values;  // sorted by path; empty in a rank's own profile
    std::vector<PathMessages> messages;   // sorted by path; only paths with messages
    std::vector<PeerMessages> matrix;     // sorted by rank, peer, path; only pairs with messages
    std::array<SizeBin, size_bins> message_sizes{};

    // Of a run whose traces were analysed (vftrace analyze); empty otherwise.
    std::vector<WaitState> wait_states;       // sorted by rank, path, pattern
    std::vector<WaitCause> wait_causes;       // sorted by rank, path, pattern, waiting_path
    std::vector<CriticalPath> critical_path;  // sorted by rank and path

    // The number of ranks over which its calls, times, overhead and memory are summed.
    std::int64_t summed_ranks() const {
        return ranks.empty() ? 1 : static_cast<std::int64_t>(ranks.size());
    }
    // By how much measuring has made the run longer. With several ranks: by how much the one that
    // computes longest would have been faster, because the others would otherwise have waited for
    // it in the time that they lose meanwhile.
    std::int64_t delay_ns() const {
        std::int64_t longest = 0, longest_without = 0;
        for (const RankFigures& rank : ranks) {
            if (rank.delay_ns < 0)
                return run.overhead_ns() / summed_ranks();
            const std::int64_t outside_mpi = rank.runtime_ns - rank.mpi_ns;
            longest = std::max(longest, outside_mpi);
            longest_without = std::max(longest_without, outside_mpi - rank.delay_ns);
        }
        if (ranks.size() > 1)
            return longest - longest_without;
        return run.delay_ns >= 0 ? run.delay_ns : run.overhead_ns() / summed_ranks();
    }
    // What the run of `run.rank` would have taken without measuring: its run time without pauses
    // and without the estimated cost of measuring.
    std::int64_t application_ns() const { return run.runtime_ns - run.paused_ns - delay_ns(); }
};

}  // namespace vftrace
