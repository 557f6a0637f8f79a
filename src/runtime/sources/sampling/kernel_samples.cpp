#include "sampling/kernel_samples.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampling/own_rings.hpp"
#include "unwind/event_registers.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__)
// Words of a record's body: time, kind of registers, the registers, bytes of stack, the stack, and
// how many bytes of it could be read. A record is so large that 15 of them fill the ring.
constexpr std::uint64_t word = sizeof(std::uint64_t), registers_at = 2 * word,
                        stack_size_at = registers_at + dwarf_registers * word,
                        stack_at = stack_size_at + word, record_bytes = 4096,
                        stack_bytes = record_bytes - EventRecord::header_bytes - stack_at - word;
constexpr std::size_t ring_pages = 16;

// Rings are locked memory, of which a user has half a MiB per processor for all processes together,
// and each process as much as it may lock (RLIMIT_MEMLOCK). Rings may take about half of both,
// because the timer of each thread needs a page of it too.
long pairs_of_rings() {
    constexpr long pairs_a_processor = 2, many = 1024;
    const auto page = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    rlimit locked{};
    getrlimit(RLIMIT_MEMLOCK, &locked);
    const rlim_t lockable = locked.rlim_cur / 2 / (2 * (ring_pages + 1) * page);
    return pairs_a_processor * std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L) +
           static_cast<long>(std::min<rlim_t>(lockable, many));
}
long most_pairs, pairs_left;

// Starts an event that writes a record each time the kernel has worked for the thread for this
// long; strictly, each time this much processor time has passed and the kernel is at work.
EventRing start_event(int thread, std::uint64_t period_ns) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = period_ns;
    attributes.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = event_registers;
    attributes.sample_stack_user = stack_bytes;
    attributes.exclude_user = 1;
    return EventRing::open(attributes, thread, ring_pages);
}

// The timers of both kinds of samples run at the same time. If the period of one were a multiple of
// the other's, samples of the kernel would always come the same number of microseconds after the
// others, perhaps while the kernel sends their signal: each would then seem to hit the kernel. So
// the ratio is irrational. About 240 samples a second are enough, because the kernel's work is the
// smaller part of most programs' time, and cost less than a thousand.
std::uint64_t fine_period(std::uint64_t period_ns) {
    constexpr double usual = 4.2360679775;  // 2 + the square root of 5
    constexpr double least = 1.1180339887;
    constexpr std::uint64_t millisecond = 1'000'000;
    const auto ns = static_cast<double>(period_ns);
    return static_cast<std::uint64_t>(
        std::max(ns * least, static_cast<double>(std::min(period_ns, millisecond)) * usual));
}
constexpr std::uint64_t coarse_ratio = 16;
#endif

}  // namespace

void allow_kernel_samples() {
#if defined(__x86_64__)
    const int saved_errno = errno;
    if (!allow_rings())
        return;
    if (most_pairs == 0)
        most_pairs = pairs_of_rings();
    __atomic_store_n(&pairs_left, most_pairs, __ATOMIC_RELAXED);
    errno = saved_errno;
#endif
}

void KernelSamples::start(int thread, std::uint64_t period_ns) {
#if defined(__x86_64__)
    stop();
    if (!rings_are_here())
        return;
    if (__atomic_sub_fetch(&pairs_left, 1, __ATOMIC_RELAXED) >= 0) {
        thread_ = thread;
        fine_ns_ = fine_period(period_ns);
        coarse_ns_ = coarse_ratio * fine_ns_;
        fine_ = start_event(thread, fine_ns_);
        if (fine_) {
            coarse_ = start_event(thread, coarse_ns_);
            return __atomic_store_n(&active_, true, __ATOMIC_SEQ_CST);
        }
    }
    __atomic_add_fetch(&pairs_left, 1, __ATOMIC_RELAXED);
#else
    static_cast<void>(thread), static_cast<void>(period_ns);
#endif
}

void KernelSamples::stop() {
#if defined(__x86_64__)
    if (!__atomic_exchange_n(&active_, false, __ATOMIC_SEQ_CST) || !rings_are_here())
        return;
    auto is_read = [&] { return __atomic_load_n(&reading_, __ATOMIC_SEQ_CST); };
    // If the thread itself gets here in the middle of reading, it is in a signal handler that ends
    // the process, and will not continue reading.
    const bool may_wait = thread_ != syscall(SYS_gettid);
    for (int waited_ms = 0; may_wait && is_read() && waited_ms < 100; waited_ms++) {
        timespec moment{0, 1'000'000};
        syscall(SYS_nanosleep, &moment, nullptr);
    }
    if (is_read())
        return;  // rings that are left do no harm
    fine_.unmap();
    coarse_.unmap();
    __atomic_add_fetch(&pairs_left, 1, __ATOMIC_RELAXED);
#endif
}

KernelSamples::Reading::Reading(KernelSamples& samples) : samples_(samples) {
    __atomic_store_n(&samples.reading_, true, __ATOMIC_SEQ_CST);
#if defined(__x86_64__)
    allowed_ = __atomic_load_n(&samples.active_, __ATOMIC_SEQ_CST) && rings_are_here();
#else
    allowed_ = false;
#endif
}

void KernelSamples::skip() {
    const Reading reading(*this);
    if (!reading)
        return;
    fine_.skip_all();
    if (coarse_)
        coarse_.skip_all();
}

bool KernelSamples::lost_some() const {
#if defined(__x86_64__)
    return fine_.is_full_for(record_bytes);
#else
    return false;
#endif
}

bool KernelSamples::parse(const EventRecord& record, KernelSample& sample) {
#if defined(__x86_64__)
    if (record.type != PERF_RECORD_SAMPLE || record.bytes < record_bytes ||
        record.body.word(word) != PERF_SAMPLE_REGS_ABI_64)
        return false;
    sample.moment_ns = record.body.word(0);
    sample.registers = registers_in(record.body.from(registers_at));
    // The kernel shortens the copy where the stack's addresses end.
    const std::uint64_t size = record.body.word(stack_size_at);
    if (size > stack_bytes || sample.registers.stack() % word != 0)
        return false;
    const std::uint64_t readable = size ? record.body.word(stack_at + size) : 0;
    sample.stack = {sample.registers.stack(), std::min(readable, size), record.body.from(stack_at)};
    return true;
#else
    static_cast<void>(record), static_cast<void>(sample);
    return false;
#endif
}

}  // namespace vftrace
