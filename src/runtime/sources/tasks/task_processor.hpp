// Processor time of threads that run tasks, in tasks and outside them.
//
// The kernel's clock of a thread costs a system call, so it is read only after long runs, and
// before a run if the last reading is not recent. A shorter run is taken to have had a processor
// all the time, and so is the time between a recent reading and a long run.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

struct TaskProcessor {
    ThreadRecord* record;   // nullptr: the thread has not run a task yet
    std::uint64_t read_at;  // ticks
    std::uint64_t read_ns;  // the clock at that time
};
extern __thread TaskProcessor task_processor __attribute__((tls_model("initial-exec")));
// In ticks, which are between 0.3 and 1 ns.
inline constexpr std::uint64_t recent_ticks = 100'000, long_run_ticks = 10 * recent_ticks;

void read_before_run(ThreadState& state, std::uint64_t now);
void read_after_run(std::uint64_t started, std::uint64_t now);
void add_task_ticks(std::uint64_t ticks);

// A run of a task begins, or ends, on the calling thread, and is not inside another one.
inline void note_begin_of_run(ThreadState& state, std::uint64_t now) {
    if (!task_processor.record || now - task_processor.read_at > recent_ticks) [[unlikely]]
        read_before_run(state, now);
}
inline void note_end_of_run(std::uint64_t started, std::uint64_t now) {
    if (!task_processor.record)
        return;
    if (now - started > long_run_ticks) [[unlikely]]
        read_after_run(started, now);
    else
        add_task_ticks(now - started);
}

// The calling thread ends.
void note_end_of_thread();
// The program ends: for threads that continue.
void note_end_of_program();
// In a child of fork.
void forget_processor_time();

}  // namespace vftrace
