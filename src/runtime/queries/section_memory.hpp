// The growth of memory in sections: the metrics section.memory and section.peak.
//
// Reading the resident memory takes more than a microsecond, so it is done only for the requested
// levels. The value at the start of a section is kept next to the thread's frames.
#pragma once

#include <cstdint>
#include <optional>

#include "record/node.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

// The memory is read for sections with levels below this one; 0: for none.
extern int levels_with_memory;

void prepare_section_memory(const Options& options);
// In a child of fork.
void forget_section_memory();
// To be called when the profile is made: adds what was read so far, including the sections that are
// open on the calling thread. `own`: the state of this thread, or nullptr.
void note_section_memory(ThreadState* own);
// To be called at the end of the run.
void finish_section_memory(ThreadState* own);

// The memory of the process, or of the calling thread's allocations, in bytes. The latter is
// negative if the thread frees what others have allocated.
std::int64_t memory_now();
inline constexpr std::int64_t unknown_memory = INT64_MIN;

// The same for a section that begins: unknown_memory if reading it has already cost more than a
// hundredth of the run.
std::int64_t memory_if_cheap();

// The section on top of the calling thread has begun, with this much memory, or unknown_memory.
void memory_at_begin(ThreadState& state, std::int64_t bytes);
// The innermost section with this key has ended on the calling thread.
void memory_at_end(ThreadState& state, std::uintptr_t key);

// The resident memory of the process, whatever the options are; negative if not known.
std::int64_t resident_bytes();

// Sections in which the memory grew by more than this are reported (live_print.hpp); 0: none.
extern std::int64_t growth_to_report;
struct MemoryGrowth {
    std::uintptr_t section;  // the key of its nodes
    std::uint64_t ticks;     // how long it took
};
// Takes one that has not been reported yet. Returns false if there is none.
bool take_growth(MemoryGrowth& growth);

// By how much memory has grown in all calls of a node, in bytes, including those that are open on
// the calling thread; only calls for which it was read. Nothing if there are none.
std::optional<double> memory_grown(const ThreadRecord& thread, const Node& node);
// The same for the whole process, since the first section for which the memory was read.
std::optional<double> memory_grown();

}  // namespace vftrace
