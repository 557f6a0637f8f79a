#include "waiting/lock_waits.hpp"

#include <pthread.h>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/modules.hpp"
#include "tree/append_row.hpp"
#include "tree/own_record.hpp"
#include "tree/upcalls.hpp"
#include "waiting/wait_figures.hpp"

namespace vftrace {
namespace {

// Where a lock that is not in the data of a module was made or first waited for. Another lock may
// be at the same address later.
struct LockOrigin {
    const void* lock;
    const Node* node;  // nullptr: not known

    using Key = const void*;
    Key key() const { return lock; }
    const void*& mark() { return lock; }
    bool is(const Key& wanted) const { return lock == wanted; }
    static std::uint64_t hash(const Key& wanted) {
        return reinterpret_cast<std::uintptr_t>(wanted) * 0x9e3779b97f4a7c15u >> 32;
    }
};

BoundedLock lock_of_origins;
MappedTable<LockOrigin> origins;  // under its lock

// The origin of a lock for which a thread waits in this node.
const Node* origin_of(const void* lock, const Node& node) {
    if (!lock || !lock_of_origins.lock())
        return &node;
    LockOrigin* const origin = origins.find_or_add({lock, &node});
    if (origin && !origin->node)
        origin->node = &node;
    const Node* const found = origin ? origin->node : &node;
    lock_of_origins.unlock();
    return found;
}

// The thread that has a lock, as the C library notes it; 0: none, or it is not noted, as for the
// readers of a read-write lock.
std::int32_t owner_of(const WantedLock& wanted) {
#ifdef __GLIBC__
    if (wanted.kind == LockKind::mutex)
        return relaxed(static_cast<const pthread_mutex_t*>(wanted.lock)->__data.__owner);
    if (wanted.kind == LockKind::rwlock)
        return relaxed(static_cast<const pthread_rwlock_t*>(wanted.lock)->__data.__cur_writer);
#endif
    return 0;
}

const ThreadRecord* thread_with(std::int32_t tid) {
    if (tid == 0)
        return nullptr;
    constexpr int most_looked_at = 1000;  // about 5 us
    const ThreadRecord* record = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE);
    for (int i = 0; record && i < most_looked_at; record = record->next, i++)
        if (relaxed(record->tid) == tid && relaxed(record->in_use))
            return record;
    return nullptr;
}

// Where the holder was. In a program that is sampled, it must have been seen during the wait.
const Node* holder_during(const LockCall& call) {
    if (!call.holder || !sampling_calls)
        return call.holder_node;
    const ThreadLockWaits& seen = call.holder->lock_waits;
    const Node* const node = __atomic_load_n(&seen.seen_in, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&seen.seen_ns, __ATOMIC_ACQUIRE) >= call.begun_ns ? node : nullptr;
}

LockWaitRow* row_of(ThreadState& state, const LockWaitIndex::Key& key, std::uint16_t module) {
    ThreadLockWaits& waits = state.record->lock_waits;
    if (const LockWaitIndex* known = waits.index.find(key))
        return known->row;
    if (waits.rows == most_lock_wait_rows)
        return nullptr;
    auto* const row = static_cast<LockWaitRow*>(state.arena.allocate_small(sizeof(LockWaitRow)));
    if (!row)
        return nullptr;
    row->waiter = key.waiter;
    row->holder = key.holder;
    row->origin = key.origin;
    row->lock = key.lock;
    row->kind = key.kind;
    row->module = module;
    if (!waits.index.find_or_add({row}))
        return nullptr;
    append_row(waits, row);
    waits.rows++;
    return row;
}

}  // namespace

void forget_locks() {
    lock_of_origins = {};
    origins = {};
}

void begin_lock_call(LockCall& call, const WantedLock& wanted) {
    call = {.wanted = wanted};
    const std::int32_t owner = wanted.lock ? owner_of(wanted) : 0;
    call.holder = thread_with(owner);
    if (!call.holder)
        return;
    if (sampling_calls) {
        call.begun_ns = monotonic_ns();
        return;
    }
    const Node& node = innermost_node(*call.holder);
    // A thread that has just given it away was somewhere else already.
    if (owner_of(wanted) == owner && node.kind != NodeKind::root)
        call.holder_node = &node;
}

void book_lock_wait(ThreadState& state, LockCall& call, const Node& node, std::uint64_t ns) {
    const auto address = reinterpret_cast<std::uintptr_t>(call.wanted.lock);
    const std::uint16_t module = call.wanted.lock ? module_at(address) : no_module;
    const bool is_named = module != no_module;
    LockWaitRow* const row =
        row_of(state,
               {&node, holder_during(call), is_named ? nullptr : origin_of(call.wanted.lock, node),
                is_named ? address : 0, call.wanted.kind},
               module);
    if (!row)
        return;
    if (call.waited_ns == 0)
        add_relaxed(row->waits, 1);
    call.waited_ns += ns;
    add_relaxed(row->ns, ns);
    if (call.waited_ns > row->longest_ns)
        set_shared(row->longest_ns, call.waited_ns);
}

void note_lock_origin(const void* lock, const Node* node) {
    if (!lock_of_origins.lock())
        return;
    if (LockOrigin* const known = origins.find(lock))
        known->node = node;
    else if (node)
        origins.find_or_add({lock, node});
    lock_of_origins.unlock();
}

void note_seen(ThreadState& state, const Node& node) {
    ThreadLockWaits& seen = state.record->lock_waits;
    __atomic_store_n(&seen.seen_in, &node, __ATOMIC_RELEASE);
    __atomic_store_n(&seen.seen_ns, monotonic_ns(), __ATOMIC_RELEASE);
}

}  // namespace vftrace
