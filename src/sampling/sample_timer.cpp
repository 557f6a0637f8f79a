// The timer that interrupts a thread while it computes.
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

namespace vftrace {
namespace {

int mark;  // its address tells our timers from the program's

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Signals go to this thread alone.
bool direct_to_thread(int file) {
    f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(syscall(SYS_gettid))};
    return fcntl(file, F_SETSIG, sampling_signal) == 0 && fcntl(file, F_SETOWN_EX, &owner) == 0 &&
           fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

}  // namespace

bool SampleTimer::start_event(std::uint64_t period_ns) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = period_ns;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.wakeup_events = 1;
    auto file = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (file < 0)
        return false;
    // The mapping keeps the event alive when its file is closed, so that the program cannot close
    // it, nor run out of files because of us.
    void* page = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, file, 0);
    const bool started =
        page != MAP_FAILED && direct_to_thread(file) && ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0;
    const int error = errno;
    close(file);
    if (started)
        event_ = page;
    else if (page != MAP_FAILED)
        munmap(page, page_size());
    errno = error;
    return started;
}

bool SampleTimer::start_timer(std::uint64_t period_ns) {
    constexpr std::uint64_t second = 1'000'000'000;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = sampling_signal;
    event.sigev_value.sival_ptr = &mark;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    // The system calls: a timer of libc's would take memory from malloc.
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0)
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

SampleClock SampleTimer::start(std::uint64_t period_ns) {
    stop();
    if (start_event(period_ns))
        clock_ = SampleClock::user_code;
    else if (start_timer(period_ns))
        clock_ = SampleClock::thread_time;
    return clock_;
}

void SampleTimer::stop() {
    if (clock_ == SampleClock::user_code)
        munmap(event_, page_size());
    else if (clock_ == SampleClock::thread_time)
        syscall(SYS_timer_delete, timer_);
    clock_ = SampleClock::none;
}

bool SampleTimer::sent(const siginfo_t& information) {
    if (information.si_code == SI_TIMER)
        return information.si_value.sival_ptr == &mark;
    // Only the kernel sends positive codes.
    return information.si_code == POLL_IN || information.si_code == POLL_HUP;
}

std::uint64_t SampleTimer::periods(const siginfo_t& information) {
    if (information.si_code != SI_TIMER)
        return 1;
    return 1 + static_cast<std::uint64_t>(std::max(information.si_overrun, 0));
}

}  // namespace vftrace
