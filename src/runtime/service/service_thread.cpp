#include "service/service_thread.hpp"

#include <algorithm>
#include <cstddef>
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

struct Service {
    const char* name;  // of its thread
    void* (*serve)(void* process);
    // Held while work is done, and while the service begins or ends.
    BoundedLock lock{};
    TimedWork* all_work = nullptr;  // of the process in `served`
    // The process that has the thread; nullptr if there is none, or if it is to end.
    const ProcessRecord* served = nullptr;
    std::uint32_t called = 0;  // a futex
};

void call_thread(Service& service) {
    __atomic_store_n(&service.called, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &service.called, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
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

// Returns the time at which work is due next.
std::uint64_t run_all_due(const Service& service) {
    std::uint64_t next = monotonic_ns() + 1'000'000'000;
    for (TimedWork* work = service.all_work; work; work = work->next) {
        run_if_due(*work);
        next = std::min(next, work->due_ns);
    }
    return next;
}

void serve(Service& service, const void* process) {
    prctl(PR_SET_NAME, service.name);
    for (;;) {
        std::uint64_t next = monotonic_ns() + 1'000'000;  // used if the lock cannot be taken
        __atomic_store_n(&service.called, 0, __ATOMIC_RELEASE);
        if (service.lock.lock()) {
            const bool ends = service.served != process;
            if (!ends)
                next = run_all_due(service);
            service.lock.unlock();
            if (ends)
                return;
        }
        const std::uint64_t now = monotonic_ns();
        const std::uint64_t rest = next > now ? next - now : 0;
        const timespec wait{static_cast<time_t>(rest / 1'000'000'000),
                            static_cast<long>(rest % 1'000'000'000)};
        syscall(SYS_futex, &service.called, FUTEX_WAIT_PRIVATE, 0, &wait, nullptr, 0);
    }
}

template <std::size_t which>
void* serve_one(void* process);

// The second service is for work that writes files.
Service services[] = {{.name = "vftrace-service", .serve = serve_one<0>},
                      {.name = "vftrace-files", .serve = serve_one<1>}};

template <std::size_t which>
void* serve_one(void* process) {
    serve(services[which], process);
    return nullptr;
}

// The lock must be held.
int serve_this_process(Service& service) {
    if (service.served == process_record)
        return 0;
    service.all_work = nullptr;  // it was that of the parent
    service.served = process_record;
    const int error = start_hidden_thread(service.serve, process_record);
    if (error)
        service.served = nullptr;
    return error;
}

void stop(Service& service) {
    if (!__atomic_load_n(&service.served, __ATOMIC_RELAXED))
        return;
    // If a thread dies in the middle of its work, the lock becomes free after a while.
    const bool locked = service.lock.lock();
    service.served = nullptr;
    service.all_work = nullptr;
    if (locked)
        service.lock.unlock();
    call_thread(service);
}

}  // namespace

std::uint64_t interval_ns(double seconds, double shortest) {
    constexpr double longest = 1e9, second = 1e9;
    return seconds > 0 ? static_cast<std::uint64_t>(second * std::clamp(seconds, shortest, longest))
                       : 0;
}

int every(TimedWork& work) {
    Service& service = services[work.writes_files ? 1 : 0];
    if (!service.lock.lock())
        return EAGAIN;
    const int error = serve_this_process(service);
    if (!error) {
        work.due_ns = work.waits_first ? monotonic_ns() + work.interval_ns : 0;
        work.missed = 0;
        work.next = service.all_work;
        service.all_work = &work;
    }
    service.lock.unlock();
    if (!error)
        call_thread(service);
    return error;
}

void stop_service() {
    for (Service& service : services)
        stop(service);
}

}  // namespace vftrace
