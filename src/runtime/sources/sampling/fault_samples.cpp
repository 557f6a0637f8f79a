#include "sampling/fault_samples.hpp"

#include <cerrno>
#include <ctime>
#include <linux/perf_event.h>

namespace vftrace {
namespace {

// Words of a record's body, in the kernel's order: time, address, processor, number of faults.
constexpr std::uint64_t word = sizeof(std::uint64_t), address_at = word, processor_at = 2 * word,
                        faults_at = 3 * word, body_bytes = 4 * word;

}  // namespace

void FaultSamples::start() {
    // The kernel adapts the number of faults per sample to this frequency, from 1: so that threads
    // that touch few, huge pages have samples, and those that touch many small ones pay little.
    // With 10,000 a second, one sample stands for up to 400 small pages, and parts of blocks have
    // none. The system may allow fewer (kernel.perf_event_max_sample_rate).
    constexpr std::uint64_t samples_a_second[] = {25000, 5000, 1000};
    // For 8 ms: threads whose time is sampled less often lose some.
    constexpr std::size_t ring_pages = 2;
    if (ring_ || !rings_are_here())
        return;
    const int saved_errno = errno;
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
    attributes.freq = 1;
    attributes.sample_type =
        PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    attributes.exclude_kernel = 1;
    for (const std::uint64_t frequency : samples_a_second) {
        attributes.sample_freq = frequency;
        ring_ = EventRing::open(attributes, 0, ring_pages);
        if (ring_ || errno != EINVAL)
            break;
    }
    errno = saved_errno;
}

void FaultSamples::stop() {
    if (ring_ && rings_are_here())
        ring_.unmap();
    ring_ = {};
}

bool FaultSamples::parse(const EventRecord& record, PageTouch& touch) {
    if (record.type != PERF_RECORD_SAMPLE || record.bytes < EventRecord::header_bytes + body_bytes)
        return false;
    touch = {record.body.word(0), record.body.word(address_at),
             static_cast<unsigned>(record.body.word(processor_at)), record.body.word(faults_at)};
    return touch.faults > 0;
}

}  // namespace vftrace
