#include "tasks/task_processor.hpp"

#include <algorithm>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/relaxed.hpp"
#include "record/process_record.hpp"
#include "tree/visit_nodes.hpp"

namespace vftrace {

__thread TaskProcessor task_processor;

namespace {

// The kernel's number for the processor clock of a thread; 0: the calling thread.
clockid_t clock_of(std::int32_t thread) {
    constexpr unsigned per_thread = 4, scheduled = 2, bits = 3;
    return static_cast<clockid_t>(~static_cast<unsigned>(thread) << bits | per_thread | scheduled);
}

// Not by the C library's function, which programs replace. 0: not known.
std::uint64_t processor_time(std::int32_t thread = 0) {
    timespec time{};
    if (syscall(SYS_clock_gettime, clock_of(thread), &time) != 0)
        return 0;
    constexpr std::uint64_t second = 1'000'000'000;
    return static_cast<std::uint64_t>(time.tv_sec) * second +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// Another thread may read the clock of this one when the program ends.
void add_processor_time(ThreadRecord& record, std::uint64_t now_ns) {
    const std::uint64_t before = relaxed(record.processor_before_ns);
    if (now_ns == 0 || before == 0)
        return;
    set_shared(record.processor_ns, record.processor_ns + (now_ns - std::min(before, now_ns)));
    set_shared(record.processor_before_ns, std::uint64_t{0});
}

}  // namespace

void read_before_run(ThreadState& state, std::uint64_t now) {
    TaskProcessor& own = task_processor;
    own.read_ns = processor_time();
    own.read_at = now;
    if (own.record)
        return;
    own.record = state.record;
    // Other threads begin to record when they start.
    const bool is_main = own.record->tid == getpid();
    const std::uint64_t before = is_main ? process_record->processor_ns_before : 0;
    set_shared(own.record->processor_before_ns,
               std::clamp<std::uint64_t>(before, 1, std::max<std::uint64_t>(own.read_ns, 1)));
}

void add_task_ticks(std::uint64_t ticks) {
    ThreadRecord& record = *task_processor.record;
    set_shared(record.task_ticks, record.task_ticks + ticks);
}

void read_after_run(std::uint64_t started, std::uint64_t now) {
    TaskProcessor& own = task_processor;
    const std::uint64_t ns = processor_time();
    set_shared(own.record->task_processor_ns,
               own.record->task_processor_ns + (ns - std::min(own.read_ns, ns)));
    // What is before the run is not in it, or has been added already.
    set_shared(own.record->task_ticks, own.record->task_ticks - (started - own.read_at));
    own = {own.record, now, ns};
}

void note_end_of_thread() {
    if (task_processor.record)
        add_processor_time(*task_processor.record, processor_time());
    task_processor = {};
}

void note_end_of_program() {
    visit_threads([](ThreadRecord& thread) {
        if (__atomic_load_n(&thread.in_use, __ATOMIC_ACQUIRE))
            add_processor_time(thread, processor_time(thread.tid));
    });
}

void forget_processor_time() { task_processor = {}; }

}  // namespace vftrace
