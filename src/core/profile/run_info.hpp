// Facts about the run as a whole in a profile: program, host, times, cost of measuring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/notice.hpp"
#include "profile/overhead_item.hpp"
#include "profile/paths.hpp"
#include "profile/run_parameters.hpp"

namespace vftrace {

// A hardware counter: its name at the source, and its name in formulas.
struct CounterName {
    std::string name;
    std::string symbol;
    // The counts of the paths themselves: index into Profile::metrics; no_index: no path has any.
    std::uint32_t metric = no_index;
};

// A figure that is computed from counters by a formula.
struct ObservableFormula {
    std::string name;
    std::string formula;
    std::string unit;  // may be empty
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
    std::string sample_clock;           // what kind of time that is: "user code", "processor time"
    // Of a sampled run: processor time of all threads, and the part that no sample represents,
    // which is only in the rows of MPI, regions and constructs. Sums over ranks; -1: not known.
    std::int64_t processor_ns = -1, unsampled_ns = -1;
    std::vector<OverheadItem> overhead;  // sums over threads and the ranks of the profile
    // By how much measuring has made the run longer: what it cost the thread with the most of it.
    // For run.rank; -1: not known.
    std::int64_t delay_ns = -1;
    std::int64_t delay_error_ns = 0;  // standard error of delay_ns; 0: not known
    // If traces were analysed: shorter waits for another rank are not counted, because the clocks
    // of two ranks may differ by as much. -1: no traces were analysed.
    std::int64_t shortest_wait_ns = -1;
    std::uint64_t memory_bytes = 0;  // what the call trees of all threads occupy
    std::uint32_t threads = 1;       // that recorded something, on the rank with the most
    bool uses_mpi = false;           // MPI was initialised
    std::uint32_t ranks = 1;
    std::uint32_t rank = 0;
    std::string ended;  // what ended the program ("signal 15 (SIGTERM)"), empty for an ordinary end
    bool snapshot = false;                 // the program was still running
    std::vector<Notice> notices;           // sorted by code
    std::vector<RunParameter> parameters;  // sorted by name
    // About hardware counters, if they are read; Profile::metrics has what they counted.
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

// Whether the program was sampled from outside: its MPI calls are functions like others, and
// nothing is known of messages and waiting.
inline bool is_from_outside(const RunInfo& run) {
    return has_notice(run.notices, NoticeCode::sampled_from_outside);
}

// The times that are sums over ranks.
inline constexpr std::int64_t RunInfo::*processor_times[] = {&RunInfo::processor_ns,
                                                             &RunInfo::unsampled_ns};

}  // namespace vftrace
