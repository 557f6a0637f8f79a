// What ranks did while others waited for them, and on the critical path: all samples of a rank are
// read once, and the time between two samples is added to the innermost open path. For tools.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "waits/critical_path.hpp"
#include "waits/run_traces.hpp"
#include "waits/wait.hpp"

namespace vftrace {

// Other ranks waited in one path, with one pattern, for a rank that was in another path.
struct BlameKey {
    std::uint32_t rank, path;  // index into RunTraces::ranks(); the path of that rank
    std::uint32_t waiting_path;
    WaitPattern pattern;
    bool operator==(const BlameKey&) const = default;
};

struct PathOfRank {
    std::uint32_t rank, path;
    bool operator==(const PathOfRank&) const = default;
};

struct KeyHash {
    std::size_t operator()(const BlameKey& key) const;
    std::size_t operator()(const PathOfRank& key) const;
};

struct Blame {
    // Sums over all waits, ns.
    std::unordered_map<BlameKey, std::int64_t, KeyHash> causes;
    std::unordered_map<PathOfRank, std::int64_t, KeyHash> critical;  // ns on the critical path
    std::vector<std::int64_t> time;  // exclusive, by path; of the threads that were read, ns
    std::uint64_t samples = 0;       // number read
};

// `waits` are sorted by cause and begin, `stretches` by rank, thread and begin. Reads the first
// thread of each rank, and others that are a cause or are on the critical path. `progress` is
// called after each rank with the number of completed ones. Throws VfdError.
Blame find_blame(const RunTraces& traces, std::span<const FoundWait> waits,
                 std::span<const CriticalStretch> stretches,
                 const std::function<void(std::size_t)>& progress);

}  // namespace vftrace
