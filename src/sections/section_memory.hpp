// The growth of memory in sections: the metrics section.memory and section.peak.
//
// Reading the resident memory takes more than a microsecond, so it is done only for the requested
// levels. The value at the start of a section is kept next to the thread's frames.
#pragma once

#include <cstdint>

#include "record/node.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

// Sections of levels below this one read the memory; 0: none does.
extern int levels_with_memory;

void prepare_section_memory(const Options& options);
// In a child of fork.
void forget_section_memory();
// The profile is made: it has what was read so far, of the sections that are open on the calling
// thread too. `own`: its state, or nullptr.
void note_section_memory(ThreadState* own);
// The run is over.
void finish_section_memory(ThreadState* own);

// The memory of the process, or of the calling thread's allocations, bytes. The latter is below 0
// where a thread frees what others have allocated.
std::int64_t memory_now();
inline constexpr std::int64_t unknown_memory = INT64_MIN;

// The section on top of the calling thread has begun, with so much memory.
void memory_at_begin(ThreadState& state, std::int64_t bytes);
// The innermost section with this key has ended on the calling thread.
void memory_at_end(ThreadState& state, std::uintptr_t key, std::int64_t bytes);

// Of the process, whatever is requested; negative if it is not known.
std::int64_t resident_bytes();

// Sections in which the memory grew by more than this are reported (live_print.hpp); 0: none.
extern std::int64_t growth_to_tell;
struct Growth {
    std::uintptr_t section;  // the key of its nodes
    std::uint64_t ticks;     // how long it took
};
// Removes one that has not been reported yet. Returns false if there is none.
bool take_growth(Growth& growth);

// By how much memory has grown in all calls of a node, bytes; of those that are open on the calling
// thread too, up to now.
double memory_grown(const ThreadRecord& thread, const Node& node);
// The same for the whole process, since the first section that read it.
double memory_grown();

}  // namespace vftrace
