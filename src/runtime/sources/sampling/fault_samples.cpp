#include "sampling/fault_samples.hpp"

#include <cerrno>
#include <linux/perf_event.h>

namespace vftrace {
namespace {

// Words of a record's body, in the kernel's order: address, processor, number of faults.
constexpr std::uint64_t word = sizeof(std::uint64_t), processor_at = word, faults_at = 2 * word,
                        body_bytes = 3 * word;

}  // namespace

void FaultSamples::start() {
    // The kernel adapts the number of faults per sample to this frequency, from 1: so that threads
    // that touch few, huge pages have samples, and those that touch many small ones pay little.
    constexpr std::uint64_t samples_a_second = 10000;
    constexpr std::size_t ring_pages = 1;
    if (ring_ || !rings_are_here())
        return;
    const int saved_errno = errno;
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
    attributes.freq = 1;
    attributes.sample_freq = samples_a_second;
    attributes.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    attributes.exclude_kernel = 1;
    ring_ = EventRing::open(attributes, 0, ring_pages);
    errno = saved_errno;
}

void FaultSamples::stop() {
    if (ring_ && rings_are_here())
        ring_.unmap();
    ring_ = {};
}

bool FaultSamples::parse(const EventRecord& record, FaultSample& sample) {
    if (record.type != PERF_RECORD_SAMPLE || record.bytes < EventRecord::header_bytes + body_bytes)
        return false;
    sample = {record.body.word(0), static_cast<unsigned>(record.body.word(processor_at)),
              record.body.word(faults_at)};
    return sample.faults > 0;
}

}  // namespace vftrace
