// The tasks that have been created and have not ended, in reusable slots.
//
// An id consists of the slot and the number of its uses, so that ids of ended tasks and of other
// processes are recognised. Slots are taken and returned by single instructions, on any thread and
// in signal handlers.
#pragma once

#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// `leaving`: the thread that ran it has released it, so that any thread may run it, but has not
// finished with it yet. `ended`: it is over, but some threads that released it have not finished
// with it.
enum class TaskState : std::uint8_t { free, pending, running, leaving, paused, ended };
inline constexpr unsigned task_state_bits = 3, task_leaver_bits = 5;
inline constexpr std::uint64_t task_state_mask = (std::uint64_t{1} << task_state_bits) - 1;

// Owned by the thread that has made the task `running`, or has just taken the slot. Ticks are those
// of the tree's clock.
struct TaskFields {
    Node* node;          // as which it is shown, in the tree of the first thread to create one
    const void* tree;    // identifies the tree of `node`; nullptr: unknown
    const void* runner;  // identifies the thread that runs it
    struct Task* outer;  // the task that was running on this thread when the run began
    std::uint64_t created;
    std::uint64_t creator;  // of an internal task: id of the task that its runs are part of
    std::uint64_t run_started;
    std::uint64_t others;     // the thread's ticks_of_tasks when the run began
    std::uint64_t own;        // ticks of all ended runs, without those of other tasks
    std::uint64_t paused_at;  // ticks; while it is paused
    std::uint64_t paused;     // sum
    std::uint64_t ready_at;   // ticks, since when it could run; 0: not known
    bool has_run;
    bool is_internal;   // it does not have figures: its work is part of `node`
    bool has_internal;  // or had: other threads may hold it, and add their time to `own`
};

// The other members may be read by all threads, which may have an old id or need a slot.
struct Task : TaskFields {
    std::uint64_t tag;        // uses of the slot << 8 | threads leaving it << 3 | TaskState
    std::uint32_t index;      // of the slot
    std::uint32_t next_free;  // slot + 1; 0: none
};
static_assert(sizeof(Task) <= 128);

// The layout of ids, tags and the table of slots.
inline constexpr std::uint32_t tasks_a_chunk = 1024, most_task_chunks = 1 << 16;
inline constexpr unsigned task_uses_shift = task_state_bits + task_leaver_bits,
                          task_index_bits = 32;
// In an id, above the number of the slot: VFTRACE_DETAIL_INTERNAL_TASK.
inline constexpr std::uint64_t internal_task_bit = std::uint64_t{1} << 31;
static_assert(std::uint64_t{tasks_a_chunk} * most_task_chunks < internal_task_bit);
struct TaskChunk {
    Task tasks[tasks_a_chunk];
};
extern TaskChunk** task_chunks;  // most_task_chunks; nullptr until there is a task

inline std::uint32_t uses_of_slot(std::uint64_t tag) {
    return static_cast<std::uint32_t>(tag >> task_uses_shift);
}

inline TaskState state_of(std::uint64_t tag) {
    return static_cast<TaskState>(tag & task_state_mask);
}
inline std::uint64_t tag_with_state(std::uint64_t tag, TaskState state) {
    return (tag & ~task_state_mask) | static_cast<std::uint64_t>(state);
}

// A slot for a new task, with fields that are zero and the state `pending`; nullptr without memory.
Task* take_task();

// Frees the slot of a task as soon as no thread is leaving the task. The caller has made it
// `running`.
void give_back(Task& task);

// `running` -> `leaving`; false if too many threads are already leaving it. The caller runs it.
bool begin_leaving(Task& task);
// The live task with this id, whose slot is not used again until end_leaving(), as if the caller
// were leaving it; nullptr if it has ended, or too many threads are leaving it.
Task* hold_task(std::uint64_t id);
// The thread that began to leave it has finished: `leaving` -> `paused`, if it is still `leaving`
// and this was the last such thread.
void end_leaving(Task& task);
// The thread that began to leave it continues to run it. No other thread has taken it over
// meanwhile.
void stop_leaving(Task& task);
// Adds to Task::own. Threads that are leaving the task, and its internal tasks, may do so at any
// time.
void add_own(Task& task, std::uint64_t ticks);

std::uint64_t id_of(const Task& task);

// The slot with this number; nullptr if it has not been created.
inline Task* task_slot(std::uint32_t index) {
    const std::uint32_t chunk = index / tasks_a_chunk;
    if (chunk >= most_task_chunks)
        return nullptr;
    TaskChunk** const chunks = __atomic_load_n(&task_chunks, __ATOMIC_ACQUIRE);
    TaskChunk* there = chunks ? __atomic_load_n(&chunks[chunk], __ATOMIC_ACQUIRE) : nullptr;
    return there ? &there->tasks[index % tasks_a_chunk] : nullptr;
}

// The slot of an id, whatever is in it now; nullptr if there never was one.
inline Task* task_of(std::uint64_t id) {
    const auto number = static_cast<std::uint32_t>(id & ~internal_task_bit);
    return number == 0 ? nullptr : task_slot(number - 1);
}

inline bool is_alive(TaskState state) {
    return state != TaskState::free && state != TaskState::ended;
}

// Gives the caller the only right to change the task: it becomes `running`, and `was` its state
// before; false if the slot is that of another task, or the task is running already.
inline bool take_over(Task& task, std::uint64_t id, TaskState& was) {
    std::uint64_t tag = __atomic_load_n(&task.tag, __ATOMIC_RELAXED);
    do {
        was = state_of(tag);
        if (uses_of_slot(tag) != static_cast<std::uint32_t>(id >> task_index_bits) ||
            (was != TaskState::pending && was != TaskState::leaving && was != TaskState::paused))
            return false;
    } while (!__atomic_compare_exchange_n(&task.tag, &tag, tag_with_state(tag, TaskState::running),
                                          false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return true;
}
// `running` -> `paused`, by the thread that runs it.
void release(Task& task);

// The state of the task with this id; `free`, `ended`: it has ended, or never existed.
inline TaskState present_state(const Task& task, std::uint64_t id) {
    const std::uint64_t tag = __atomic_load_n(&task.tag, __ATOMIC_ACQUIRE);
    return uses_of_slot(tag) == static_cast<std::uint32_t>(id >> task_index_bits) ? state_of(tag)
                                                                                  : TaskState::free;
}

// In a child of fork, because all tasks are those of the parent.
void forget_tasks();

}  // namespace vftrace
