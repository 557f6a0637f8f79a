// Records of what devices did: buffers are lent to CUPTI and come back filled.
//
// They come back on a thread of CUPTI, or on one that flushes.
#include "gpu/activity.hpp"

#include "base/arena.hpp"
#include "device_record/record_memory.hpp"
#include "gpu/traced_work.hpp"
#include "gpu/work_sums.hpp"
#include "guest/bounded_lock.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

CallRing gpu_calls;

namespace {

const cupti::Functions* functions;
bool stopped;
BoundedLock lock;  // for the record's figures and lists, except for names

// Threads that call CUDA have one each; only pages that have been filled take memory.
constexpr std::size_t buffer_bytes = 1 << 20, most_buffers = 256;
struct Buffers {
    BoundedLock lock;
    std::uint8_t* idle[most_buffers];
    std::size_t idle_count, count;
} buffers;

// A moment by both clocks: that of the records, and that of calls.
struct Moment {
    std::uint64_t ns, ticks;
};
Moment first, latest;
std::uint64_t latest_traced_ns;  // 0: no moment is in the trace yet

Moment now() {
    Moment moment{};
    if (functions->GetTimestamp(&moment.ns) != cupti::success)
        moment.ns = 0;
    moment.ticks = tree_ticks();
    return moment;
}

// Once a second, writes a moment to the trace: of several, the one that was read fastest.
void trace_now() {
    constexpr std::uint64_t interval_ns = 1'000'000'000;
    constexpr int attempts = 5;
    if (latest.ns == 0 || (latest_traced_ns && latest.ns < latest_traced_ns + interval_ns))
        return;
    Moment best{};
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < attempts; attempt++) {
        const std::uint64_t before = tree_ticks();
        const Moment moment = now();
        const std::uint64_t took = moment.ticks - before;
        if (took < shortest && moment.ns != 0) {
            shortest = took;
            best = {moment.ns, before + took / 2};
        }
    }
    if (best.ns != 0)
        trace_moment(best.ns, best.ticks, shortest / 2);
    latest_traced_ns = latest.ns;
}

// Nanoseconds per tick; 0: not known yet.
double tick_ns() {
    constexpr std::uint64_t least_ns = 1'000'000;
    if (first.ns == 0 || latest.ns < first.ns + least_ns || latest.ticks <= first.ticks)
        return 0;
    return static_cast<double>(latest.ns - first.ns) /
           static_cast<double>(latest.ticks - first.ticks);
}

CallTime time_of(const CallRing::Call& call, double tick) {
    if (!call.node || tick <= 0)
        return {false, 0};
    const double since =
        static_cast<double>(static_cast<std::int64_t>(call.ticks - latest.ticks)) * tick;
    return {true, latest.ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(since))};
}

void add_record(const void* record, double tick, bool traced) {
    DeviceWork work;
    DeviceDescription device;
    if (decode_work(record, work)) {
        if (work.start == 0) {
            gpu_record()->unfinished++;
            return;
        }
        const CallRing::Call call =
            work.correlation ? gpu_calls.find(work.correlation) : CallRing::Call{};
        add_device_work(work, call, time_of(call, tick), traced);
    } else if (decode_device(record, device)) {
        add_device(device);
    }
}

// Waits until the trace has room for another record, without holding the lock. Returns false if
// records are no longer wanted, or if the lock cannot be taken again; it is then not held.
bool await_room() {
    bool may_wait = !trace_settings.drop_when_full;
    while (may_wait && !has_room_for_device_work()) {
        lock.unlock();
        may_wait = wait_for_device_room();
        if (!lock.lock())
            return false;
        if (stopped) {
            lock.unlock();
            return false;
        }
    }
    return true;
}

// To be called with the lock held. Returns whether it still is.
bool add_records(std::uint8_t* buffer, std::size_t filled) {
    GpuRecord* sums = gpu_record();
    if (!sums)
        return true;
    latest = now();
    const std::uint64_t begun = latest.ticks;  // other buffers may come while room is awaited
    const double tick = tick_ns();
    const bool traced = device_work_is_traced();
    if (traced)
        trace_now();
    void* record = nullptr;
    while (functions->ActivityGetNextRecord(buffer, filled, &record) == cupti::success) {
        if (traced && !await_room())
            return false;
        add_record(record, tick, traced);
    }
    update_devices();
    __atomic_fetch_add(&sums->callback_ticks, tree_ticks() - begun, __ATOMIC_RELAXED);
    return true;
}

void on_buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = nullptr;
    *bytes = *most_records = 0;
    if (__atomic_load_n(&stopped, __ATOMIC_RELAXED) || !buffers.lock.lock())
        return;
    if (buffers.idle_count > 0) {
        *buffer = buffers.idle[--buffers.idle_count];
    } else if (buffers.count < most_buffers) {
        *buffer = static_cast<std::uint8_t*>(map_memory(buffer_bytes));
        buffers.count += *buffer != nullptr;
    }
    buffers.lock.unlock();
    if (*buffer)
        *bytes = buffer_bytes;
}

void on_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                         std::size_t filled) {
    if (lock.lock()) {
        bool held = true;
        if (!stopped) {
            std::size_t dropped = 0;
            if (buffer && filled > 0)
                held = add_records(buffer, filled);
            if (held &&
                functions->ActivityGetNumDroppedRecords(context, stream, &dropped) ==
                    cupti::success &&
                dropped > 0)
                if (GpuRecord* record = gpu_record())
                    record->dropped += dropped;
        }
        if (held)
            lock.unlock();
    }
    if (buffer && buffers.lock.lock()) {
        buffers.idle[buffers.idle_count++] = buffer;
        buffers.lock.unlock();
    }
}

}  // namespace

bool prepare_activity(const cupti::Functions& library, const char*& why) {
    functions = &library;
    auto* ring =
        static_cast<CallRing::Entry*>(map_memory(CallRing::capacity * sizeof(CallRing::Entry)));
    if (!ring) {
        why = "not enough memory";
        return false;
    }
    gpu_calls.start(ring);
    return true;
}

bool start_activity(const char*& why) {
    first = latest = now();
    cupti::Result result =
        functions->ActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed);
    if (result == cupti::success)
        result = functions->ActivityEnable(cupti::kernel);
    if (result != cupti::success) {
        why = text_of(*functions, result);
        return false;
    }
    // A process that is killed, or makes a snapshot, has not flushed: this much may be missing
    // then.
    constexpr std::uint32_t flush_ms = 1000;
    if (functions->ActivityFlushPeriod)
        functions->ActivityFlushPeriod(flush_ms);
    // Without one of these the profile has less, but nothing wrong.
    for (cupti::Activity activity :
         {cupti::memory_copy, cupti::peer_copy, cupti::memory_set, cupti::device})
        functions->ActivityEnable(activity);
    return true;
}

void follow_managed_memory() {
    if (!functions->ActivityConfigureUnifiedMemoryCounter)
        return;
    cupti::MemoryCounterRequest requests[] = {
        {cupti::scope_process, cupti::bytes_to_device, 0, 1},
        {cupti::scope_process, cupti::bytes_to_host, 0, 1},
        {cupti::scope_process, cupti::bytes_between_devices, 0, 1}};
    // Not every device, driver and container supports this.
    if (functions->ActivityConfigureUnifiedMemoryCounter(requests, 3) == cupti::success)
        functions->ActivityEnable(cupti::managed_memory);
}

void flush_activity(bool at_end) { functions->ActivityFlushAll(at_end ? cupti::flush_all : 0); }

void stop_activity() {
    const bool locked = lock.lock();
    __atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
    if (locked)
        lock.unlock();
}

void forget_activity() {
    lock = {};
    buffers.lock = {};
    latest_traced_ns = 0;
    forget_device_work();
}

}  // namespace vftrace
