// Where counter readings come from: one table of functions per source.
//
// All functions but `prepare` run inside the slow path through the tree, perhaps in a signal
// handler, and allocate nothing themselves. Each thread has its own SourceThread, and only that
// thread reads with it, except in read_other().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/options.hpp"
#include "record/counter_sums.hpp"

namespace vftrace {

// The largest number of counters that can be read; more do not fit into a processor either.
inline constexpr std::size_t most_counters = 32;

// The data of a source for one thread.
struct SourceThread {
    int event_set = 0;            // papi
    std::uint8_t sharing = 0;     // CounterSharing
    bool by_instruction = false;  // perf: rdpmc reads them, without a system call
    // perf: by counter; `ids` identify descriptors that are still ours. 0, nullptr: there is none
    int descriptors[most_counters] = {};
    std::uint64_t ids[most_counters] = {};
    void* pages[most_counters] = {};
    // perf: of the last reading by read(2); ns, as counted, and scaled
    std::uint64_t enabled = 0, running = 0;
    std::uint64_t raw[most_counters] = {};
    std::uint64_t value[most_counters] = {};
};

struct CounterSource {
    const char* name;  // as in hwprof.type

    // Prepares for these counters; called once, when the library starts. Returns what is wrong, a
    // sentence without a full stop, or "".
    std::string (*prepare)(const std::vector<HardwareCounter>& counters);

    // Starts the counters of the calling thread. Returns false if that is not possible.
    bool (*begin_thread)(SourceThread& thread);

    // Reads the counters of the calling thread. Returns false if they cannot be read (any more).
    bool (*read)(SourceThread& thread, std::span<std::int64_t> values);

    // Reads those of another thread, which does nothing else with them meanwhile. nullptr: not
    // possible.
    bool (*read_other)(SourceThread& thread, std::span<std::int64_t> values);

    // Ends what begin_thread() has started, and sets `sharing`.
    void (*end_thread)(SourceThread& thread);
};

extern const CounterSource dummy_source, papi_source, perf_source;

// The source of hwprof.type, nullptr if it is not built in.
const CounterSource* counter_source(std::string_view name);

}  // namespace vftrace
