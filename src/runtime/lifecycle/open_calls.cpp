#include "lifecycle/open_calls.hpp"

#include "base/arena.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "patch/hook_calls.hpp"
#include "sampling/sampling.hpp"
#include "sampling/unwinder.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/registry.hpp"
#include "tree/stack_segments.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

// Used by one thread at a time; nullptr in a process that was never switched on.
BoundedLock lock;
Unwinder* unwinder;

OwnStack own_stack_of(const ThreadState& state) {
    if (!thread_start.first_function)
        return {};
    return {state.own_segment->low, thread_start.first_function};
}

// The stack address that the entry hook of the function would have had; 0 if the function does not
// have one. `callee` is just above the frame of the function's callee, `own` just above its own
// frame.
std::uintptr_t place_of_hook(std::uintptr_t function, std::uintptr_t callee, std::uintptr_t own) {
    switch (entry_hook_of(function)) {
    case EntryHook::in_body:
        return callee;
    case EntryHook::in_prologue:
        return own - sizeof(std::uintptr_t);
    case EntryHook::none:
        break;
    }
    return 0;
}

void open_call(ThreadState& state, std::uintptr_t function, std::uintptr_t stack,
               std::uint64_t since) {
    if (state.top >= state.frames_end && !grow_segment(state))
        return;
    Frame* const frame = state.top + 1;
    Node* const node = open_frame(state, frame, {function, NodeKind::function, 0, 0, stack}, since);
    if (!node)
        return;
    add_relaxed(node->calls, 1);
    if (frame->start == frame_nested)
        add_relaxed(node->nested_calls, 1);
    state.top = frame;
    if (node->flags & node_reads_counters)
        counter_calls->entered(state, *frame, since);
    note_enter(state, node, since);
}

}  // namespace

void open_calls_on_stack(ThreadState& state, std::uintptr_t entered, std::uint64_t since) {
    if (sampling_calls || !own_unwinder_knows_processor() || !lock.lock())
        return;
    if (!unwinder)
        unwinder = static_cast<Unwinder*>(map_memory(sizeof(Unwinder)));
    if (unwinder) {
        const Registers here = current_registers();
        const std::size_t count = unwinder->walk(here, own_stack_of(state));
        // The outermost first. The frames of two functions of the program are adjacent, unless
        // something that does not belong to the program lies in between: then the hook's address
        // was a little lower, which does not change the order.
        for (std::size_t i = count; i-- > 0;) {
            const OpenFunction& open = (*unwinder)[i];
            const std::uintptr_t callee = i > 0 ? (*unwinder)[i - 1].stack : here.stack();
            if (open.function == entered && i == 0)
                break;
            if (open.stack > state.segment->high || state.top->node->key == open.function)
                continue;
            if (overhead_calls && overhead_calls->is_refused(open.function))
                continue;
            if (const std::uintptr_t place = place_of_hook(open.function, callee, open.stack);
                place && place < state.top->stack)
                open_call(state, open.function, place, since);
        }
    }
    lock.unlock();
}

}  // namespace vftrace
