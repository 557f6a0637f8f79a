// Parallel regions and the parts that the threads of their teams execute.
//
//   encountering thread    omp parallel ────────────────────────────> end_region(): Team::end_ticks
//   each other thread      graft of omp parallel ─ omp implicit barrier ─ ...
//
// A thread that has finished its part is not notified when the region ends: it idles in its OpenMP
// library until it gets another part. So its graft and its barrier stay open, and
// ThreadRecord::open_until shows where the time of their end will be found.
#pragma once

#include <cstdint>

#include "openmp/activations.hpp"
#include "record/openmp_constructs.hpp"

namespace vftrace {

// A parallel region in execution, or one that has ended while threads of its team have not noticed.
// It is in the memory of the trees, and is reused for later regions of its thread.
struct alignas(64) Team {
    // First, because GOMP_parallel_reductions reads it where the program's own data would be.
    void* reductions;
    void (*function)(void*);  // of the program: what each thread executes. nullptr: not called here
    void* data;               // its argument
    const void* encountering_thread;
    Node* node;                   // of the region
    std::uintptr_t code;          // address of the region in the program
    std::uint64_t end_ticks;      // 0: not ended
    std::uint32_t members;        // threads that have begun their part and not noticed the end
    bool has_worksharing;         // `worksharing` is combined with the region
    OpenmpConstruct worksharing;  // around each thread's part
    Team* outer;                  // the region begun before this one that is still to be ended
    Team* next;                   // of the same thread
};

// What one thread remembers. A child of fork does not have that of its parent.
struct OpenmpThread {
    Team* teams;    // regions that this thread has encountered
    Team* started;  // the innermost that GOMP_parallel_start began and that is not ended
    Team* part;     // of which this thread does or has done a part; nullptr: none
};

// Opens a region. nullptr without memory, or if it cannot be recorded.
Team* begin_region(ThreadState& state, std::uintptr_t key, std::uintptr_t stack);
// Closes it. The state may be nullptr if the thread no longer records.
void end_region(ThreadState* state, Team* team, std::uintptr_t stack);

// A thread of the team, other than the one that encountered the region, begins its part.
void begin_part(ThreadState& state, Team* team, std::uintptr_t stack);
// ... and turns to something else. What it left open ends with the region.
void end_part(ThreadState& state);

// The team of which the thread does a part; nullptr if it does none.
inline Team* part_of(const ThreadState& state) {
    return state.openmp ? state.openmp->part : nullptr;
}

}  // namespace vftrace
