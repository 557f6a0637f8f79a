#include "tasks/live_tasks.hpp"

#include <cstddef>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/relaxed.hpp"

namespace vftrace {

TaskChunk** task_chunks;

namespace {

constexpr std::uint64_t one_leaver = std::uint64_t{1} << task_state_bits;
constexpr std::uint64_t leavers_mask = (std::uint64_t{1} << task_uses_shift) - one_leaver;

std::uint32_t slots_made;  // numbers that have been handed out
// Lower half: 1 + the number of the slot that was given back last. Upper half: how often this has
// changed, so that a slot that was taken and given back meanwhile is not mistaken for an untouched
// one.
std::uint64_t first_free;
// Uses of slots are counted from this number, so that processes have different ids.
std::uint32_t first_use;

// Sets `place` to new memory unless another thread is faster. Returns what is there now; nullptr
// without memory.
template <class Made>
Made* made_once(Made*& place, std::size_t bytes) {
    Made* known = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    auto* made = static_cast<Made*>(map_memory(bytes));
    if (made && !__atomic_compare_exchange_n(&place, &known, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        unmap_memory(made, bytes);
        return known;
    }
    return made;
}

// The slot with this number, created if necessary; nullptr without memory.
Task* new_slot(std::uint32_t index) {
    const std::uint32_t chunk = index / tasks_a_chunk;
    if (chunk >= most_task_chunks)
        return nullptr;
    TaskChunk** const chunks = made_once(task_chunks, most_task_chunks * sizeof *task_chunks);
    TaskChunk* const there = chunks ? made_once(chunks[chunk], sizeof(TaskChunk)) : nullptr;
    return there ? &there->tasks[index % tasks_a_chunk] : nullptr;
}

// A slot that has been given back; nullptr if there is none.
Task* used_slot() {
    std::uint64_t first = __atomic_load_n(&first_free, __ATOMIC_ACQUIRE);
    for (;;) {
        const auto number = static_cast<std::uint32_t>(first);
        Task* task = number == 0 ? nullptr : task_slot(number - 1);
        if (!task)
            return nullptr;
        const std::uint64_t next = ((first >> task_index_bits) + 1) << task_index_bits |
                                   __atomic_load_n(&task->next_free, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&first_free, &first, next, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return task;
    }
}

std::uint64_t tag_of(std::uint32_t uses, TaskState state) {
    return std::uint64_t{uses} << task_uses_shift | static_cast<std::uint64_t>(state);
}

// Sets the tag to change(tag), and returns it.
template <class Change>
std::uint64_t change_tag(Task& task, Change change) {
    std::uint64_t tag = __atomic_load_n(&task.tag, __ATOMIC_RELAXED), changed;
    do
        changed = change(tag);
    while (!__atomic_compare_exchange_n(&task.tag, &tag, changed, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return changed;
}

// Whether threads other than the one that runs the task may change its tag and own time.
bool is_shared(const Task& task, std::uint64_t tag) {
    return (tag & leavers_mask) != 0 || relaxed(task.has_internal);
}

// The same by the thread that runs the task.
template <class Change>
std::uint64_t change_own_tag(Task& task, Change change) {
    const std::uint64_t tag = __atomic_load_n(&task.tag, __ATOMIC_RELAXED);
    if (is_shared(task, tag))
        return change_tag(task, change);
    const std::uint64_t changed = change(tag);
    __atomic_store_n(&task.tag, changed, __ATOMIC_RELEASE);
    return changed;
}

void put_in_free_list(Task& task) {
    std::uint64_t first = __atomic_load_n(&first_free, __ATOMIC_ACQUIRE);
    std::uint64_t next;
    do {
        __atomic_store_n(&task.next_free, static_cast<std::uint32_t>(first), __ATOMIC_RELAXED);
        next =
            ((first >> task_index_bits) + 1) << task_index_bits | (std::uint64_t{task.index} + 1);
    } while (!__atomic_compare_exchange_n(&first_free, &first, next, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
}

}  // namespace

Task* take_task() {
    Task* task = used_slot();
    if (!task) {
        const std::uint32_t index = __atomic_fetch_add(&slots_made, 1, __ATOMIC_RELAXED);
        task = new_slot(index);
        if (!task)
            return nullptr;
        task->index = index;
        if (index == 0)
            first_use = static_cast<std::uint32_t>(getpid()) * 0x9e3779b9u;
        __atomic_store_n(&task->tag,
                         tag_of(__atomic_load_n(&first_use, __ATOMIC_RELAXED), TaskState::free),
                         __ATOMIC_RELAXED);
    }
    const std::uint32_t uses = uses_of_slot(__atomic_load_n(&task->tag, __ATOMIC_RELAXED)) + 1;
    static_cast<TaskFields&>(*task) = {};
    __atomic_store_n(&task->tag, tag_of(uses, TaskState::pending), __ATOMIC_RELEASE);
    return task;
}

void give_back(Task& task) {
    const std::uint64_t tag = change_own_tag(task, [](std::uint64_t before) {
        return tag_with_state(before, before & leavers_mask ? TaskState::ended : TaskState::free);
    });
    if (state_of(tag) == TaskState::free)
        put_in_free_list(task);
}

bool begin_leaving(Task& task) {
    if ((__atomic_load_n(&task.tag, __ATOMIC_RELAXED) & leavers_mask) == leavers_mask)
        return false;
    change_own_tag(task, [](std::uint64_t before) {
        return tag_with_state(before + one_leaver, TaskState::leaving);
    });
    return true;
}

Task* hold_task(std::uint64_t id) {
    Task* task = task_of(id);
    std::uint64_t tag = task ? __atomic_load_n(&task->tag, __ATOMIC_RELAXED) : 0;
    do
        if (!task || uses_of_slot(tag) != static_cast<std::uint32_t>(id >> task_index_bits) ||
            !is_alive(state_of(tag)) || (tag & leavers_mask) == leavers_mask)
            return nullptr;
    while (!__atomic_compare_exchange_n(&task->tag, &tag, tag + one_leaver, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return task;
}

void end_leaving(Task& task) {
    const std::uint64_t tag = change_tag(task, [](std::uint64_t before) {
        const std::uint64_t after = before - one_leaver;
        const TaskState state = state_of(after);
        return after & leavers_mask          ? after
               : state == TaskState::leaving ? tag_with_state(after, TaskState::paused)
               : state == TaskState::ended   ? tag_with_state(after, TaskState::free)
                                             : after;
    });
    if (state_of(tag) == TaskState::free)
        put_in_free_list(task);
}

void stop_leaving(Task& task) {
    change_tag(task, [](std::uint64_t before) {
        return tag_with_state(before - one_leaver, TaskState::running);
    });
}

void add_own(Task& task, std::uint64_t ticks) {
    if (is_shared(task, __atomic_load_n(&task.tag, __ATOMIC_RELAXED)))
        __atomic_fetch_add(&task.own, ticks, __ATOMIC_RELAXED);
    else
        set_shared(task.own, task.own + ticks);
}

std::uint64_t id_of(const Task& task) {
    return std::uint64_t{uses_of_slot(relaxed(task.tag))} << task_index_bits |
           (task.is_internal ? internal_task_bit : 0) | (std::uint64_t{task.index} + 1);
}

void release(Task& task) {
    change_own_tag(task,
                   [](std::uint64_t before) { return tag_with_state(before, TaskState::paused); });
}

void forget_tasks() {
    // Only the part of the table that was used: writing to the rest would allocate memory for it.
    for (std::uint32_t chunk = 0; task_chunks && chunk < most_task_chunks && task_chunks[chunk];
         chunk++)
        task_chunks[chunk] = nullptr;
    slots_made = 0;
    first_free = 0;
}

}  // namespace vftrace
