// Work that is due again and again while the program runs, done by one thread of the library's own.
#include "service/service_thread.hpp"

#include <algorithm>
#include <ctime>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "guest/bounded_lock.hpp"
#include "service/hidden_thread.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

// While work is done, and while it begins or ends.
BoundedLock lock;
TimedWork* all_work;          // of the process that `served` is of
const ProcessRecord* served;  // whose thread there is; nullptr: of none, or it is to end
std::uint32_t called;         // a futex

void call_thread() {
    __atomic_store_n(&called, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &called, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void run_if_due(TimedWork& work) {
    const std::uint64_t now = monotonic_ns();
    if (now < work.due_ns)
        return;
    const std::uint64_t late = (now - work.due_ns) / work.interval_ns;
    if (work.due_ns != 0)
        __atomic_store_n(&work.missed, work.missed + late, __ATOMIC_RELAXED);
    work.due_ns =
        (work.due_ns == 0 ? now : work.due_ns + late * work.interval_ns) + work.interval_ns;
    run_guarded([&] { work.run(); });
}

// Returns when something is due next.
std::uint64_t run_all_due() {
    std::uint64_t next = monotonic_ns() + 1'000'000'000;
    for (TimedWork* work = all_work; work; work = work->next) {
        run_if_due(*work);
        next = std::min(next, work->due_ns);
    }
    return next;
}

void* serve(void* process) {
    prctl(PR_SET_NAME, "vftrace-service");
    for (;;) {
        std::uint64_t next = monotonic_ns() + 1'000'000;  // somebody holds the lock
        __atomic_store_n(&called, 0, __ATOMIC_RELEASE);
        if (lock.lock()) {
            const bool ends = served != process;
            if (!ends)
                next = run_all_due();
            lock.unlock();
            if (ends)
                return nullptr;
        }
        const std::uint64_t now = monotonic_ns();
        const std::uint64_t rest = next > now ? next - now : 0;
        const timespec wait{static_cast<time_t>(rest / 1'000'000'000),
                            static_cast<long>(rest % 1'000'000'000)};
        syscall(SYS_futex, &called, FUTEX_WAIT_PRIVATE, 0, &wait, nullptr, 0);
    }
}

// With the lock held.
int serve_this_process() {
    if (served == process_record)
        return 0;
    all_work = nullptr;  // that of the parent
    served = process_record;
    const int error = start_hidden_thread(serve, process_record);
    if (error)
        served = nullptr;
    return error;
}

}  // namespace

int every(TimedWork& work) {
    if (!lock.lock())
        return EAGAIN;
    const int error = serve_this_process();
    if (!error) {
        work.due_ns = work.missed = 0;
        work.next = all_work;
        all_work = &work;
    }
    lock.unlock();
    if (!error)
        call_thread();
    return error;
}

void stop_service() {
    // Of what dies in the middle of its work the lock is free after a while.
    const bool locked = lock.lock();
    served = nullptr;
    all_work = nullptr;
    if (locked)
        lock.unlock();
    call_thread();
}

}  // namespace vftrace
