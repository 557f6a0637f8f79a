#include "sampling/sample_timer.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace vftrace {
namespace {

int mark;  // its address distinguishes our timers from the program's

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Makes signals go to this thread only.
bool direct_to_thread(int file, int thread) {
    f_owner_ex owner{F_OWNER_TID, thread};
    return fcntl(file, F_SETSIG, sampling_signal) == 0 && fcntl(file, F_SETOWN_EX, &owner) == 0 &&
           fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

struct KernelEvent {
    void* page;  // nullptr: it could not be started
    int file;
};

// Starts an event that sends a signal each time it has counted `period` in the thread's own code.
KernelEvent start_event(std::uint64_t what, std::uint64_t period, int thread) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = what;
    attributes.sample_period = period;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.wakeup_events = 1;
    auto file = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (file < 0)
        return {nullptr, -1};
    void* page = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED && direct_to_thread(file, thread) &&
        ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0)
        return {page, file};
    const int error = errno;
    if (page != MAP_FAILED)
        munmap(page, page_size());
    close(file);
    errno = error;
    return {nullptr, -1};
}

}  // namespace

bool SampleTimer::start_events(int thread, std::uint64_t period_ns) {
    const KernelEvent time = start_event(PERF_COUNT_SW_TASK_CLOCK, period_ns, thread);
    if (!time.page)
        return false;
    const KernelEvent faults = start_event(PERF_COUNT_SW_PAGE_FAULTS, page_faults_a_sample, thread);
    time_event_ = time.page;
    fault_event_ = faults.page;
    fault_file_ = faults.file;
    // The mappings keep the events alive when their files are closed, so that the program cannot
    // close them, and does not run out of files because of us.
    close(time.file);
    if (faults.page)
        close(faults.file);
    return true;
}

bool SampleTimer::start_timer(int thread, std::uint64_t period_ns) {
    constexpr std::uint64_t second = 1'000'000'000;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = sampling_signal;
    event.sigev_value.sival_ptr = &mark;
    event._sigev_un._tid = thread;
    // Uses the system calls, because a timer of libc would allocate memory with malloc.
    if (syscall(SYS_timer_create, processor_clock_of(thread), &event, &timer_) != 0)
        return false;
    itimerspec times{};
    times.it_interval = {static_cast<std::time_t>(period_ns / second),
                         static_cast<long>(period_ns % second)};
    times.it_value = times.it_interval;
    if (syscall(SYS_timer_settime, timer_, 0, &times, nullptr) == 0)
        return true;
    const int error = errno;
    syscall(SYS_timer_delete, timer_);
    errno = error;
    return false;
}

SampleClock SampleTimer::start(int thread, std::uint64_t period_ns, SampleClock wanted) {
    stop();
    if (wanted == SampleClock::thread_time && start_timer(thread, period_ns))
        clock_ = SampleClock::thread_time;
    else if (start_events(thread, period_ns))
        clock_ = SampleClock::user_code;
    else if (start_timer(thread, period_ns))
        clock_ = SampleClock::thread_time;
    return clock_;
}

void SampleTimer::stop() {
    if (clock_ == SampleClock::user_code) {
        munmap(time_event_, page_size());
        if (fault_event_)
            munmap(fault_event_, page_size());
    } else if (clock_ == SampleClock::thread_time) {
        syscall(SYS_timer_delete, timer_);
    }
    clock_ = SampleClock::none;
}

bool SampleTimer::sent(const siginfo_t& information) {
    if (information.si_code == SI_TIMER)
        return information.si_value.sival_ptr == &mark;
    // Only the kernel sends positive codes.
    return information.si_code == POLL_IN || information.si_code == POLL_HUP;
}

SampleWeight SampleTimer::weight(const siginfo_t& information) const {
    if (information.si_code == SI_TIMER)
        return {1 + static_cast<std::uint64_t>(std::max(information.si_overrun, 0)), 0};
    if (information.si_fd == fault_file_)
        return {0, page_faults_a_sample};
    return {1, 0};
}

}  // namespace vftrace
