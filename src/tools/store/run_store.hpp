// A store of runs: the figures of many profiles in one SQLite file. doc/design/runs.md has its
// tables.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.hpp"
#include "store/database.hpp"

namespace vftrace {

// What a user says about a run.
struct RunLabels {
    std::string commit, branch;
    std::string host;                      // empty: that of the profile
    std::vector<RunParameter> parameters;  // in addition to those of the profile
};

// NaN: not known.
struct StoredRun {
    std::int64_t id = 0;
    std::string application, host, commit, branch, file;
    std::int64_t start_unix_ns = 0;
    std::uint32_t ranks = 1, threads = 1;
    double seconds = 0;  // of the program, without what measuring cost
    double processor_seconds = std::numeric_limits<double>::quiet_NaN();
    double waiting_share = std::numeric_limits<double>::quiet_NaN();
    double stolen_share = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t quality = 0;   // Grade
    std::uint32_t findings = 0;  // that are not only remarks

    // Whether its times say little, because the machine did other work.
    bool was_disturbed() const { return waiting_share > 0.02 || stolen_share > 0.02; }
};

// A function in a run.
struct StoredFigures {
    std::int64_t run = 0;
    double own_seconds = 0, total_seconds = 0;
    std::optional<std::uint64_t> calls;  // nothing: not all were counted
};

// Which runs; empty: all.
struct RunFilter {
    std::string application, branch, host;
};

class RunStore {
  public:
    // Throws StoreError: the file cannot be opened, is not a store, or is from a newer version.
    // With Access::write, older tables become those of this version.
    RunStore(const std::string& file, Database::Access access);

    // What is added while this exists is added when it is committed, together, or not at all.
    // Others cannot write meanwhile.
    class Additions {
      public:
        explicit Additions(RunStore& store)
            : store_(store), transaction_(store.database_, Database::Access::write) {}
        ~Additions() { store_.known_functions_.clear(); }  // perhaps they were not added
        Additions(const Additions&) = delete;
        Additions& operator=(const Additions&) = delete;
        void commit() { transaction_.commit(); }

        // Returns false if the store has this run already. Throws StoreError.
        bool add(const Profile& profile, const std::string& file, const RunLabels& labels) {
            return store_.add_run(profile, file, labels);
        }

      private:
        RunStore& store_;
        Transaction transaction_;
    };

    // A single run.
    bool add(const Profile& profile, const std::string& file, const RunLabels& labels) {
        Additions additions(*this);
        const bool is_new = additions.add(profile, file, labels);
        additions.commit();
        return is_new;
    }

    // In the order of their start.
    std::vector<StoredRun> runs(const RunFilter& filter);
    // The names of the programs, those with most runs first.
    std::vector<std::string> applications();
    // Functions whose name is this one or, if there is none, contains it.
    std::vector<std::string> functions_named(const std::string& name);
    // In the order of the runs' numbers, of all programs.
    std::vector<StoredFigures> figures_of(const std::string& function);
    // Functions that were called a different number of times in runs of a program.
    std::vector<std::string> functions_with_other_calls(const RunFilter& filter);
    // Those that took at least this part of all own time in a run of these two.
    std::vector<std::string> large_functions(std::int64_t run, std::int64_t other_run,
                                             double least_share);

  private:
    bool add_run(const Profile& profile, const std::string& file, const RunLabels& labels);
    std::int64_t number_of_function(const std::string& name);
    // Whether the filter leaves out any runs.
    bool leaves_out_runs(const RunFilter& filter);

    Database database_;
    std::unordered_map<std::string, std::int64_t> known_functions_;  // numbers of some of them
};

}  // namespace vftrace
