// The finished profile of one run: an immutable value.
//
// Everything right of it (text logs, JSON, exports, the vftrace command) is a pure function of it.
// Functions and paths refer to each other by index, so a profile of a million paths stays compact
// and can be written as a stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/notice.hpp"
#include "profile/overhead_item.hpp"
#include "record/gpu_work.hpp"
#include "record/message_figures.hpp"
#include "record/metrics.hpp"
#include "record/node_kinds.hpp"

namespace vftrace {

// Marks "no module", "no parent", "no source".
inline constexpr std::uint32_t no_index = 0xffffffff;

// An executable or shared library that functions of the profile live in.
struct Module {
    std::string path;      // as loaded; absolute for files
    std::string build_id;  // hexadecimal, empty if the file has none
};

struct Function {
    std::string symbol;      // as in the symbol table (`_ZN1A3fooEi`, `solve_`); empty for regions
    std::string name;        // symbol cleaned of trailing underscores; what STIDs are made from.
                             // "module+0x12f0" where there is no symbol; the text of a region
    std::string demangled;   // whole C++ name with parameters; empty if it is no C++ name
    std::string display;     // what tables show
    std::string file;        // source file, empty if unknown; of OpenMP where the construct is
    std::uint32_t line = 0;  // line in `file`, 0 if unknown
    std::uint32_t module = no_index;
    std::uint64_t offset = 0;  // address in the module: run-time address - load bias; of `gpu`
                               // gpu_call_id(), of OpenACC with openacc_callback(); of `section`
                               // its level
    NodeKind kind = NodeKind::function;
    std::string other_kind;  // the word of NodeKind::other
};

// The word that stands for the function's kind in files.
inline std::string_view kind_word(const Function& function) {
    return function.kind == NodeKind::other ? function.other_kind : row_of(function.kind).word;
}
// The kind with this word: NodeKind::other if there is none.
NodeKind kind_of_word(std::string_view word);

// One call path: a function together with the path it was called from.
struct Path {
    std::uint32_t parent = no_index;  // index into Profile::paths, always smaller than the own one
    std::uint32_t function = 0;       // index into Profile::functions
    std::uint32_t stid = 0;           // rank of `hash` among all paths; the number in tables
    std::uint32_t flags = 0;          // PathFlag
    std::uint64_t hash = 0;
    std::uint64_t calls = 0;        // 0 where `samples` tell of the path
    std::uint64_t samples = 0;      // of the call stack that hit the function itself
    std::uint64_t page_faults = 0;  // of the function itself, by samples of them
    // Time in outermost activations, paused time left out; all threads together. What a thread does
    // for a path of another one (its thread function, its share of a parallel region) is part of
    // that path and of the paths below, not of those above.
    std::int64_t inclusive_ns = 0;
    std::int64_t exclusive_ns = 0;  // of that, what was spent in the function itself
    std::int64_t kernel_ns = 0;     // of that, what the kernel did, by samples of it
    std::int64_t overhead_ns = 0;   // estimated cost of the hooks of this path
    // The same as measured, the cost of measuring included.
    std::int64_t raw_inclusive_ns = 0, raw_exclusive_ns = 0;
    // Standard errors: of estimates from some of the calls, and of the correction. Those of threads
    // and ranks are added up, as if all were off in the same direction.
    std::int64_t inclusive_error_ns = 0, exclusive_error_ns = 0;
};

enum PathFlag : std::uint32_t {
    // An activation ended without its exit hook (longjmp, exception past clang code, exit()).
    path_closed_without_exit = 1,
    // Deeper levels of an indirect recursion were folded into this path (max_recursion).
    path_recursion_folded = 2,
    // Part of `init`..pause: time spent paused. Not in application time, percentages, ancestors.
    path_paused = 4,
    // Only a fraction of its calls was timed: its times are estimates.
    path_thinned = 8,
    // Its function has lost its hooks: `calls` are those before.
    path_calls_until_removal = 16,
    // Its times are estimates from the clock and samples beside the hooks.
    path_combined = 32,
    // Its function has lost its hooks: `calls` are estimated from those of its caller, on some
    // threads at least.
    path_calls_estimated = 64,
};

// Whether more was taken out of the time than is left: the rest is not much more than a guess.
inline bool is_mostly_overhead(const Path& path) {
    return !(path.flags & path_combined) &&
           path.raw_exclusive_ns - path.exclusive_ns > path.exclusive_ns;
}

enum class FilterReason : std::uint8_t {
    budget,    // measuring it cost too much for its own time
    excluded,  // by the configuration
    sampled    // as `budget`, and has paths: samples tell its time
};

// A function that has lost its hooks. Unless it is `sampled` it has no paths, and what was measured
// of it is part of its callers.
struct FilteredFunction {
    std::uint32_t function = 0;  // index into Profile::functions
    std::uint64_t calls = 0;     // before it was taken out, or all if `still_called`
    std::int64_t exclusive_ns = 0, overhead_ns = 0;  // of those calls; `sampled`: of the whole run
    std::int64_t moment_ns = -1;  // of being taken out, since the start; the first one. -1: unknown
    FilterReason reason = FilterReason::budget;
    bool still_called = false;  // its hooks could not be removed: they count only
};

// A further figure, of call paths, threads or processes: what a source of its own has measured.
struct Metric {
    std::string name;    // "hwprof.CYCLES": source (record/sources.inc), a dot, and what it is
    std::string unit{};  // "ns", "B", ...; empty: a number of something
    Reduction reduction = Reduction::sum;  // how values of threads and ranks become one
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

// The value of a metric in a row that carries its own.
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

// A value of a host, or of a device there. What all of the host's ranks have read.
struct HostMetric {
    std::string host;
    std::string device;    // "package-0"; empty: of the host
    std::uint32_t metric;  // index into Profile::metrics
    double value;
};

// Values of one rank's process over time.
struct Series {
    struct Point {
        std::int64_t ns;  // since the rank began to record
        double value;
    };
    std::uint32_t rank = 0;
    std::uint32_t metric = 0;     // index into Profile::metrics
    std::uint64_t missed = 0;     // readings that could not be made in time
    std::vector<Point> points{};  // in the order of time
};

// A section of the run that this one goes on from, with what it had to itself there. The root, the
// program, has no name, and is its own parent.
struct EarlierSection {
    std::uint64_t id = 0;      // earlier_section_id(); of the root 0
    std::uint64_t parent = 0;  // id of the section around it
    std::string name;
    std::uint8_t level = 0;
    std::uint32_t place = 0;  // in the table of that run
    std::uint64_t calls = 0;
    std::int64_t self_ns = 0;
    std::int64_t self_memory = 0;                            // bytes
    std::int64_t longest_self_ns = 0, longest_total_ns = 0;  // of one rank
};

// A hardware counter: its name at the source, and how formulas call it.
struct CounterName {
    std::string name;
    std::string symbol;
    // What paths have counted themselves: index into Profile::metrics; no_index: no path has.
    std::uint32_t metric = no_index;
};

// A figure that is computed from counters by a formula.
struct ObservableFormula {
    std::string name;
    std::string formula;
    std::string unit;  // may be empty
};

// Exclusive time of one path over the ranks that it occurs on.
struct RankSpread {
    std::uint32_t ranks = 0;  // on how many it occurs
    std::uint32_t min_rank = 0, max_rank = 0;
    std::int64_t min_ns = 0, max_ns = 0;
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

// On how many ranks something occurs, and the smallest and largest count of one of those. All are 0
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
    // CUPTI's numbers. Of the rows that merging the ranks of a large job left out, all together,
    // all four are no_index.
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
    // Of the rows that merging the ranks of a large job left out, all together, rank, number and
    // start are no_index.
    std::uint32_t rank = 0;
    std::uint32_t number = 0;  // in the order of first events on its rank; of the first of several
    std::string name;          // that the program gave it, or empty
    std::uint32_t start = 0;   // path it began with ("work<[thread]<main<init"); 0 if there is none
    bool openmp_worker = false;        // made by an OpenMP library for its teams
    std::uint64_t threads = 1;         // how many they are
    std::uint64_t calls = 0;           // of functions, regions, MPI and OpenMP constructs
    std::int64_t time_ns = 0;          // in all of that
    std::int64_t parallel_ns = 0;      // of time_ns, in OpenMP parallel regions, waiting included
    std::int64_t waiting_ns = 0;       // of time_ns, in OpenMP barriers, locks and other waits
    std::int64_t lifetime_ns = 0;      // from first event to end; sum over threads
    std::vector<RowMetric> metrics{};  // of scope `thread`, sorted by metric
};

// What one thread (or row of ThreadFigures) spent in one path.
struct ThreadPath {
    std::uint32_t thread = 0;  // index into Profile::threads
    std::uint32_t path = 0;    // index into Profile::paths
    std::uint64_t calls = 0;
    std::int64_t inclusive_ns = 0, exclusive_ns = 0;
};

// How the work in the parallel regions of one path was spread over the threads of their teams.
struct ParallelRegion {
    std::uint32_t path = 0;        // index into Profile::paths
    std::uint64_t entries = 0;     // how often a team was formed
    std::uint64_t threads = 0;     // different ones in all teams; summed over ranks
    std::int64_t busy_ns = 0;      // time of implicit tasks without waiting; sum over threads
    std::int64_t busy_max_ns = 0;  // of the thread with most of it
    std::int64_t waiting_ns = 0;   // in barriers and other waits in the region; sum over threads
};

struct RunInfo {
    std::string application;   // base name of the program
    std::string command_line;  // arguments joined by blanks
    std::string host;
    std::int64_t pid = 0;
    std::int64_t start_unix_ns = 0;  // since 1970-01-01 UTC
    std::int64_t end_unix_ns = 0;
    std::int64_t runtime_ns = 0;        // from the first event (or main) to the end
    std::int64_t paused_ns = 0;         // part of runtime_ns between pause and resume
    std::int64_t sample_period_ns = 0;  // processor time between samples; 0: not sampled
    std::string sample_clock;           // what that is time of: "user code", "processor time"
    // Of a sampled run: processor time of all threads, and what of it no sample stands for, which
    // is in no row but those of MPI, regions and constructs. Sums over ranks; -1: not known.
    std::int64_t processor_ns = -1, unsampled_ns = -1;
    std::vector<OverheadItem> overhead;  // sums over threads and the ranks of the profile
    // By how much measuring has made the run longer: what it cost the thread with most of it. Of
    // run.rank; -1: not known.
    std::int64_t delay_ns = -1;
    std::uint64_t memory_bytes = 0;  // what the call trees of all threads occupy
    std::uint32_t threads = 1;       // that recorded something; over ranks, of the one with most
    bool uses_mpi = false;           // MPI was initialised
    std::uint32_t ranks = 1;
    std::uint32_t rank = 0;
    std::string ended;  // what ended the program ("signal 15 (SIGTERM)"), empty for an ordinary end
    bool snapshot = false;        // the program was still running
    std::vector<Notice> notices;  // sorted by code
    // Of hardware counters, if they are read; Profile::metrics has what they counted.
    std::string counter_source;  // "perf"; empty: none
    std::vector<CounterName> counters;
    std::uint32_t counted_time_metric = no_index;  // of all of them, in the same way
    std::vector<ObservableFormula> observables;
    std::string visible_gpus;   // "all", or $CUDA_VISIBLE_DEVICES; empty: no GPUs, or not known
    std::string config_source;  // path of the JSON file that was read, empty if none
    std::string config_text;    // the whole configuration as JSON

    std::int64_t overhead_ns() const {
        std::int64_t sum = 0;
        for (const OverheadItem& item : overhead)
            sum += item.ns;
        return sum;
    }
};

// What is a sum over ranks.
inline constexpr std::int64_t RunInfo::*processor_times[] = {&RunInfo::processor_ns,
                                                             &RunInfo::unsampled_ns};

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
    std::vector<Series> series;            // sorted by rank and metric; of one run only

    std::vector<EarlierSection> earlier_sections;  // sorted by id; parents are among them

    std::vector<ThreadFigures> threads;  // sorted by rank and number
    // Sorted by thread and path. Of a single process with several threads; empty otherwise.
    std::vector<ThreadPath> thread_paths;
    std::vector<ParallelRegion> parallel_regions;  // sorted by path; empty without OpenMP

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
    std::vector<RankFigures> ranks;      // by rank; one element in a rank's own profile
    std::vector<RankSpread> spread;      // by path; empty in a rank's own profile
    std::vector<PathMessages> messages;  // sorted by path; paths with messages only
    std::vector<PeerMessages> matrix;    // sorted by rank, peer, path; pairs that talk only
    std::array<SizeBin, size_bins> message_sizes{};

    // Over how many ranks its calls, times, overhead and memory are sums.
    std::int64_t summed_ranks() const {
        return ranks.empty() ? 1 : static_cast<std::int64_t>(ranks.size());
    }
    // By how much measuring has made the run longer. Of several ranks: by how much the one that
    // computes longest would have been faster, for what others lose meanwhile they would have
    // waited for it.
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
    // and without the estimated cost of that.
    std::int64_t application_ns() const { return run.runtime_ns - run.paused_ns - delay_ns(); }
};

}  // namespace vftrace
