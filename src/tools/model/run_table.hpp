// The figures of several runs of a program: one value per run for each call path and for the whole
// program.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.hpp"
#include "readers/measurements.hpp"

namespace vftrace {

// Runs that cannot be modelled together, or not at all; one line that says why.
class ModelError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The figures of a call path that can be modelled. All are means over the ranks of a run, and sums
// over its threads.
struct RunMetric {
    std::string id;             // "time_excl", or the name of a metric of the profiles
    std::string title;          // "Exclusive time"
    std::string unit;           // "s"; empty: a number of something
    std::string of_program;     // what the whole program has instead: "run time"; empty: nothing
    std::string of_ranks;       // ", mean over ranks": what the figures are of; empty: not known
    bool is_exclusive = false;  // figures of paths add up to that of the program
};

class RunTable {
  public:
    struct Run {
        std::string file, application;
        std::string build_id;  // of the executable; empty: not known
        std::uint32_t ranks = 1, threads = 1;
        std::vector<RunParameter> parameters;
        std::int64_t start_unix_ns = 0, pid = 0;
        std::string host;
        std::string ended;  // unusually: "signal 15 (SIGTERM)", "still running"
    };
    struct Path {
        std::string function, text;               // "leaf<main<init"
        std::string symbol;                       // of the function; its name if it has none
        std::uint32_t parent = no_index;          // index into paths()
        std::vector<std::vector<double>> values;  // by metric and run; NaN: not in the run
    };

    // `metrics`: ids. Whether each stands for something is known once all runs have been added: see
    // check_metrics().
    // With `times_ranks`, figures are sums over the ranks instead of means, and the run time is
    // multiplied by their number: what strong scaling costs.
    explicit RunTable(const std::vector<std::string>& metrics, bool times_ranks = false);

    // Throws ModelError if the profile is from another program than those before, or has negative
    // figures.
    void add(const Profile& profile, const std::string& file, bool any_version);
    // Takes what another tool measured; the values of a point become one run each. Throws
    // ModelError if there are other runs.
    void add(const Measurements& measurements, const std::string& file);
    // The run of this profile if it has been added already, else nullptr.
    const Run* find(const Profile& profile) const;
    // Throws ModelError if no run has one of the metrics.
    void check_metrics() const;
    // Keeps only those with these indices.
    void keep_runs(const std::vector<std::size_t>& runs);

    const std::vector<RunMetric>& metrics() const { return metrics_; }
    const std::vector<Run>& runs() const { return runs_; }
    const std::vector<Path>& paths() const { return paths_; }
    // By metric and run; NaN if there is no such figure.
    const std::vector<std::vector<double>>& program() const { return program_; }
    // Functions that were measured in some of the runs, and were part of their callers in others.
    std::vector<std::string> filtered_in_some() const;

  private:
    void check_program(const Run& run, bool any_version) const;
    std::uint32_t path_of_hash(std::uint64_t hash);
    void add_values(const Profile& profile, const std::vector<std::uint32_t>& row_of);

    bool times_ranks_;
    std::vector<RunMetric> metrics_;
    std::vector<bool> metric_is_known_;
    std::vector<Run> runs_;
    std::vector<Path> paths_;
    std::unordered_map<std::uint64_t, std::uint32_t> path_of_;
    std::vector<std::vector<double>> program_;
    std::map<std::string, std::vector<bool>> filtered_;  // by function and run
};

}  // namespace vftrace
