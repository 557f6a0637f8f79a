// How the figures of a program have developed over its runs in a store, and since when they are
// different.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/change_points.hpp"
#include "store/run_store.hpp"

namespace vftrace {

// What a function had to do with a change of the run time.
struct FunctionChange {
    std::string name;
    double before = 0, after = 0;  // own seconds, medians
};

struct RunTimeChange {
    StoredRun run;                          // the first one after the change
    double before = 0, after = 0;           // seconds, medians
    std::size_t seen = 0;                   // runs since then, up to the next change
    std::vector<FunctionChange> functions;  // those that changed most with it, largest first

    bool is_slower() const { return after > before; }
};

struct CallsChange {
    StoredRun run;
    std::string function;
    std::uint64_t before = 0, after = 0;
    std::size_t seen = 0;
};

struct RunHistory {
    RunFilter filter;
    std::vector<StoredRun> runs;
    std::size_t disturbed = 0;  // runs on a busy machine: shown, but not judged
    std::vector<RunTimeChange> times;
    std::vector<CallsChange> calls;
    std::size_t calls_in_all = 0;  // functions whose calls have changed
    std::size_t fewest_runs = 0;   // without as many, changes of times are not looked for
};

// A function in the same order as RunHistory::runs; a run that lacks it has no figures.
struct FunctionHistory {
    std::string name;
    std::vector<std::optional<StoredFigures>> figures;
    std::vector<ChangePoint> times;  // of the own time: indices into `runs`
    std::vector<ChangePoint> calls;  // indices into `runs`
};

RunHistory history_of(RunStore& store, const RunFilter& filter);
FunctionHistory history_of_function(RunStore& store, const RunHistory& history,
                                    const std::string& name);

}  // namespace vftrace
