#include "mpi/requests.hpp"

#include <cstdlib>
#include <sched.h>

#include "mpi/booking.hpp"
#include "mpi/functions.hpp"
#include "mpi/mpi_state.hpp"

namespace vftrace {
namespace {

// Threads that communicate at the same time mostly use different shards. Shards have chains,
// because operations come and go all the time, and the oldest of several with one handle must be
// found.
struct alignas(64) Shard {
    bool locked;
    std::uint32_t buckets;  // a power of two; 0 before the first operation
    std::uint32_t count;
    PendingOperation** table;
    PendingOperation* unused;
};
constexpr std::size_t shard_count = 16;
// Whole cache lines.
constexpr std::size_t bytes_of_operation = (sizeof(PendingOperation) + 63) / 64 * 64;
Shard shards[shard_count];
bool ever_used;
std::uint64_t freed_early, cancelled_requests;

std::uint64_t hash_of(Word handle) { return handle * 0x9e3779b97f4a7c15u; }
Shard& shard_of(Word handle) { return shards[hash_of(handle) >> 60]; }

// A spin lock: what it protects takes about ten nanoseconds.
class Locked {
  public:
    explicit Locked(Shard& shard) : shard_(&shard) {
        for (int tries = 0; __atomic_exchange_n(&shard.locked, true, __ATOMIC_ACQUIRE); tries++)
            if (tries > 100)
                sched_yield();
    }
    ~Locked() { unlock(); }
    void unlock() {
        if (shard_)
            __atomic_store_n(&shard_->locked, false, __ATOMIC_RELEASE);
        shard_ = nullptr;
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    Shard* shard_;
};

PendingOperation** bucket_of(Shard& shard, Word handle) {
    return &shard.table[hash_of(handle) >> 20 & (shard.buckets - 1)];
}

void append(Shard& shard, PendingOperation* operation) {
    PendingOperation** link = bucket_of(shard, operation->handle);
    while (*link)
        link = &(*link)->next;
    operation->next = nullptr;
    *link = operation;
}

bool make_room(Shard& shard) {
    if (shard.count < shard.buckets)
        return true;
    std::uint32_t old_buckets = shard.buckets;
    PendingOperation** old_table = shard.table;
    std::uint32_t buckets = old_buckets ? 2 * old_buckets : 64;
    auto** table = static_cast<PendingOperation**>(std::calloc(buckets, sizeof(PendingOperation*)));
    if (!table)
        return old_buckets > 0;
    shard.table = table;
    shard.buckets = buckets;
    for (std::uint32_t i = 0; i < old_buckets; i++)
        for (PendingOperation* operation = old_table[i]; operation;) {
            PendingOperation* next = operation->next;
            append(shard, operation);
            operation = next;
        }
    std::free(old_table);
    return true;
}

// The first link from this one on to an operation with this handle, or nullptr.
PendingOperation** next_with(Word handle, PendingOperation** link) {
    for (; *link; link = &(*link)->next)
        if ((*link)->handle == handle)
            return link;
    return nullptr;
}

// The link to the oldest operation with this handle.
PendingOperation** find(Shard& shard, Word handle) {
    return shard.count == 0 ? nullptr : next_with(handle, bucket_of(shard, handle));
}

// Among the operations with this handle, `oldest` being the link to the first, finds the one that
// is completed or freed by a call that this thread entered at `enter`.
//
// MPI may reuse a handle as soon as the real function has released it, before the thread that
// called that function gets here to remove the operation. So the operation of this call began
// before the call did, and if none of these is this thread's, it is the latest of them.
[[gnu::cold, gnu::noinline]] PendingOperation** find_among(Word handle, PendingOperation** oldest,
                                                           std::uint64_t enter) {
    if (!next_with(handle, &(*oldest)->next))
        return oldest;
    const ThreadState* thread = own_thread_state;
    PendingOperation** latest = nullptr;
    for (PendingOperation** link = oldest; link; link = next_with(handle, &(*link)->next)) {
        const PendingOperation& operation = **link;
        if (enter > 0 && operation.start > enter)
            continue;
        if (thread && operation.node && thread_of(operation.node) == thread->record->number)
            return link;
        latest = link;
    }
    return latest ? latest : oldest;
}

// The link to the operation that is completed or freed by a call that was entered at `enter`.
PendingOperation** find_ended(Shard& shard, Word handle, std::uint64_t enter) {
    PendingOperation** oldest = find(shard, handle);
    if (!mpi_process.threads_multiple || !oldest) [[likely]]
        return oldest;
    return find_among(handle, oldest, enter);
}

void remove(Shard& shard, PendingOperation** link) {
    PendingOperation* gone = *link;
    *link = gone->next;
    gone->next = shard.unused;
    shard.unused = gone;
    shard.count--;
    CollectiveTrace::drop_reference(gone->trace);
}

template <class Visit>
void for_each_pending(Visit visit) {
    for (Shard& shard : shards) {
        Locked locked(shard);
        for (std::uint32_t i = 0; i < shard.buckets; i++)
            for (const PendingOperation* operation = shard.table[i]; operation;
                 operation = operation->next)
                visit(*operation);
    }
}

bool was_cancelled(Word status) {
    int flag = 0;
    return status && real_function(FunctionId::MPI_Test_cancelled) &&
           call_real(FunctionId::MPI_Test_cancelled, status, word_of(&flag)) == 0 && flag;
}

void book(const PendingOperation& operation, const RequestEnd& end) {
    ThreadState* thread = own_thread_state;
    if (!thread || !operation.node)
        return;
    const MessageOrigin origin{operation.node, operation.start, end.ticks, &end.call};
    const Traffic& traffic = operation.traffic;
    if (operation.peer == all_peers) {
        book_collective(*thread, operation.node, traffic, end.ticks - operation.start);
        if (operation.trace && is_traced(*thread)) [[unlikely]]
            operation.trace->write(*thread, origin);
        return;
    }
    if (traffic.sends)
        record_sent(*thread, origin, operation.peer, traffic.send_bytes,
                    {operation.sent, operation.info});
    if (operation.receives_by_status && end.status) {
        const PostedReceive& posted = operation.posted_receive;
        TracedContent received = operation.received;
        int source = posted.peer;
        std::uint64_t bytes = posted.bytes;
        if (posted.trust == PostedReceive::in_status ||
            (posted.trust == PostedReceive::in_status_if_any && posted.peer < 0)) {
            source = status_source(end.status);
            received.tag = status_tag(end.status);
            bytes = received_bytes(end.status);
        }
        record_received(*thread, origin, world_rank(*operation.info, source), bytes,
                        {received, operation.info});
    } else if (traffic.receives) {  // one-sided
        record_received(*thread, origin, operation.peer, traffic.receive_bytes,
                        {operation.received, nullptr});
    }
}

// A copy that outlives the lock, with its own reference to the trace.
PendingOperation copy_of(const PendingOperation& operation) {
    if (operation.trace)
        operation.trace->add_reference();
    return operation;
}

}  // namespace

bool may_be_pending() { return __atomic_load_n(&ever_used, __ATOMIC_RELAXED); }

void add_pending(const PendingOperation& operation) {
    Shard& shard = shard_of(operation.handle);
    Locked locked(shard);
    PendingOperation* copy = nullptr;
    if (make_room(shard)) {
        copy = shard.unused;
        if (copy)
            shard.unused = copy->next;
        else
            copy = static_cast<PendingOperation*>(std::aligned_alloc(64, bytes_of_operation));
    }
    if (!copy) {
        CollectiveTrace::drop_reference(operation.trace);
        return;
    }
    *copy = operation;
    append(shard, copy);
    shard.count++;
    __atomic_store_n(&ever_used, true, __ATOMIC_RELAXED);
}

void start_pending(Word handle, const Node* node, std::uint64_t ticks) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    if (PendingOperation** link = find(shard, handle)) {
        (*link)->node = node;
        (*link)->start = ticks;
        (*link)->active = true;
    }
}

void cancel_pending(Word handle) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    if (PendingOperation** link = find(shard, handle))
        (*link)->cancelled = true;
}

void complete_pending(Word handle, const RequestEnd& end) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    PendingOperation** link = find_ended(shard, handle, end.call.enter);
    if (!link)
        return;
    if (!end.released && !end.stays && !(*link)->persistent)
        return;  // an error left it unchanged
    const PendingOperation done = copy_of(**link);
    (*link)->active = (*link)->cancelled = false;
    if (end.released)
        remove(shard, link);
    locked.unlock();
    if (done.cancelled && was_cancelled(end.status))
        __atomic_add_fetch(&cancelled_requests, 1, __ATOMIC_RELAXED);
    else if (done.active && end.recorded)
        book(done, end);
    CollectiveTrace::drop_reference(done.trace);
}

void free_pending(Word handle, const CompletingCall& call, std::uint64_t ticks) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    PendingOperation** link = find_ended(shard, handle, call.enter);
    if (!link)
        return;
    const PendingOperation freed = copy_of(**link);
    remove(shard, link);
    locked.unlock();
    if (freed.active) {
        __atomic_add_fetch(&freed_early, 1, __ATOMIC_RELAXED);
        // Sent messages will arrive; received ones are unknown.
        book(freed, {.status = 0, .ticks = ticks});
    }
    CollectiveTrace::drop_reference(freed.trace);
}

bool find_pending(Word handle, PendingOperation& operation) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    PendingOperation** link = find(shard, handle);
    if (link)
        operation = **link;
    return link != nullptr;
}

void remove_pending(Word handle) {
    Shard& shard = shard_of(handle);
    Locked locked(shard);
    if (PendingOperation** link = find(shard, handle))
        remove(shard, link);
}

bool is_needed_by_pending(const CommunicatorInfo* info) {
    bool needed = false;
    for_each_pending([&](const PendingOperation& operation) { needed |= operation.info == info; });
    return needed;
}

RequestCounts request_counts() {
    std::uint64_t open = 0;
    for_each_pending([&](const PendingOperation& operation) { open += operation.active; });
    return {freed_early, cancelled_requests, open};
}

}  // namespace vftrace
