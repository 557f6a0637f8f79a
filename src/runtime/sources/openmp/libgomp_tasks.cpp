#include "openmp/libgomp_tasks.hpp"

#include <cstring>

#include "guest/frame_address.hpp"

namespace vftrace {
namespace {

// Flags of the library's interface.
constexpr Word flag_reduction = Word{1} << 12;
constexpr Word flag_detach = Word{1} << 13;

}  // namespace

bool describe_gomp_task(GompTask& task, const GompSite& site, Word function, Word data, Word copy,
                        Word bytes, Word alignment, Word flags, bool is_loop) {
    ThreadState* state = recording_state();
    Node* node = state ? place_of_task(*state, site.caller, site.stack) : nullptr;
    if (!node)
        return false;
    if (alignment < alignof(GompTask))
        alignment = alignof(GompTask);
    task = {.start = 0,
            .end = 0,
            .reductions = 0,
            .function = reinterpret_cast<void (*)(void*)>(function),
            .copy = reinterpret_cast<void (*)(void*, void*)>(copy),
            .data = reinterpret_cast<void*>(data),
            .data_bytes = bytes,
            .data_offset = (sizeof(GompTask) + alignment - 1) / alignment * alignment,
            .node = node,
            .is_loop = is_loop,
            .has_event = !is_loop && data && (flags & flag_detach)};
    if (is_loop && (flags & flag_reduction))
        std::memcpy(&task.reductions, static_cast<const Word*>(task.data) + 2, sizeof(Word));
    return true;
}

void copy_gomp_task(void* to, void* from) {
    auto& task = *static_cast<GompTask*>(from);
    std::memcpy(to, &task, sizeof task);
    void* data = static_cast<char*>(to) + task.data_offset;
    if (task.has_event)
        std::memcpy(task.data, &task.start, sizeof task.start);
    if (task.copy)
        task.copy(data, task.data);
    else if (task.data_bytes)
        std::memcpy(data, task.data, task.data_bytes);
}

void run_gomp_task(void* copied) {
    auto& task = *static_cast<GompTask*>(copied);
    void* data = static_cast<char*>(copied) + task.data_offset;
    if (task.is_loop)
        std::memcpy(data, &task.start, 2 * sizeof(Word));
    std::uintptr_t stack = frame_address() - sizeof(void*);
    Node* graft = enter_graft(task.node, stack);
    task.function(data);
    if (graft)
        leave_activation(graft, stack);
}

}  // namespace vftrace
