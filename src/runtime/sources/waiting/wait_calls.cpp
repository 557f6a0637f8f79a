#include "waiting/wait_calls.hpp"

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"
#include "tree/upcalls.hpp"
#include "waiting/blocked_threads.hpp"
#include "waiting/watched_thread.hpp"

namespace vftrace {
namespace {

// Whether recording was paused since the thread's last event.
bool was_paused(const ThreadState& state) {
    return process_record && __atomic_load_n(&process_record->paused_ticks, __ATOMIC_ACQUIRE) !=
                                 state.record->paused_ticks;
}

// Whether the thread is still in the call. A signal handler may have left it by a jump.
bool is_in_call(const ThreadState& state, const ThreadSwitches& own) {
    return own.call.stack != 0 && state.slow_path_stack <= own.call.stack;
}

// In a sampled program, what is open in a call that may wait was open when it began; otherwise only
// what has a frame is known to have been open all the time.
const Node& place_of(ThreadState& state, bool in_call) {
    return sampling_calls && in_call ? *sampling_calls->path_here(state) : *state.top->node;
}

// A call has returned, and the kernel does not report whether it has waited: it did, as long as its
// time exceeds the processor time. That includes the time for which it could run again, but had no
// processor.
void book_by_clock(ThreadState& state, ThreadSwitches& own) {
    constexpr std::uint64_t least_ns = 20'000;  // else it is the error of the clocks
    const std::uint64_t now = monotonic_ns(),
                        cpu = processor_ns_of(own.tid) - own.call_begun_cpu_ns;
    const std::uint64_t wall = now - own.call_begun_ns;
    if (own.call_begun_ns == 0 || wall < cpu + least_ns)
        return;
    const SlowPath books(state, own.call.stack);
    if (!is_recorded(state))
        return;
    const WaitPlace place = place_of_wait(state, own);
    const std::uint64_t ns = wall - cpu;
    book_absence({Out::waits, now - ns, now}, path_wait_figures.of(state, &place.node),
                 *own.figures, place.kind);
    note_call_waited(state, own, place, ns);
}

}  // namespace

bool is_recorded(const ThreadState& state) {
    return !plain_read(state.ignore_events) && state.top->start != frame_paused &&
           !was_paused(state);
}

WaitCall call_of(const ThreadSwitches& own) {
    return {relaxed(own.call.kind), relaxed(own.call.file), relaxed(own.call.stack), {}};
}
void set_call(ThreadSwitches& own, const WaitCall& call) {
    set_shared(own.call.kind, call.kind);
    set_shared(own.call.file, call.file);
    set_shared(own.call.stack, call.stack);
}

WaitKind kind_of_call(const WaitCall& call) {
    const auto kind = static_cast<WaitKind>(call.kind);
    return kind == WaitKind::not_seen && call.file >= 0 ? kind_of_descriptor(call.file) : kind;
}

WaitPlace place_of_wait(ThreadState& state, const ThreadSwitches& own) {
    const bool in_call = is_in_call(state, own);
    const Node& node = place_of(state, in_call);
    WaitKind kind = kind_of_node(node);
    if (kind == WaitKind::not_seen && in_call)
        kind = kind_of_call(own.call);
    return {node, kind, in_call};
}

void note_call_waited(ThreadState& state, ThreadSwitches& own, const WaitPlace& place,
                      std::uint64_t ns) {
    if (!place.in_call)
        return;
    if (own.lock.wanted.kind != LockKind::none && ns > 0)
        book_lock_wait(state, own.lock, place.node, ns);
    if (sampling_calls)
        note_seen(state, place.node);
}

void begin_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call) {
    if (has_switched(state)) [[unlikely]]
        book_switches(state, call.stack);
    set_call(own, call);
    begin_lock_call(own.lock, call.wanted);
    if (own.by_clock) [[unlikely]] {
        own.call_begun_ns = monotonic_ns();
        own.call_begun_cpu_ns = processor_ns_of(own.tid);
    }
}

void end_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call) {
    // A signal handler may have made others.
    set_call(own, call);
    if (own.lock.wanted != call.wanted)
        own.lock = {.wanted = call.wanted};
    if (has_switched(state)) [[unlikely]]
        book_switches(state, call.stack);
    else if (own.by_clock) [[unlikely]]
        book_by_clock(state, own);
    set_shared(own.call.stack, std::uintptr_t{0});
}

}  // namespace vftrace
