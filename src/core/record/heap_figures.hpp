// Figures of the source `heap`: what a path has allocated, and what of it has not been freed.
//
// If allocations are sampled, each that is sampled represents several: their number, their bytes,
// and the variances of both are estimates that can be added up (record/heap_sampling.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "record/process_record.hpp"
#include "record/side_table.hpp"

namespace vftrace {

// Of one path in one thread's tree. The thread itself adds to the first six; any thread that frees
// a block changes the others.
struct PathHeapFigures {
    std::uint64_t allocated;            // bytes
    std::uint64_t allocated_variance;   // of that: a double, bytes squared
    std::uint64_t calls;                // a double
    std::uint64_t calls_variance;       // a double
    std::uint64_t temporary;            // a double: of the calls those whose block was freed before
                                        // the thread allocated another one
    std::uint64_t samples;              // allocations that were seen
    std::uint64_t live, live_variance;  // bytes not freed yet, and bytes squared
    std::uint64_t at_peak, at_peak_variance;  // the same when it was the peak of the process
    std::uint64_t peak_number;                // which peak that was
};
inline constexpr std::array<SideColumn, sizeof(PathHeapFigures) / sizeof(std::uint64_t)>
    path_heap_columns = {{{MetricId::heap_allocated},
                          {MetricId::heap_allocated_variance, 0, SideValue::real},
                          {MetricId::heap_calls, 0, SideValue::real},
                          {MetricId::heap_calls_variance, 0, SideValue::real},
                          {MetricId::heap_temporary, 0, SideValue::real},
                          {MetricId::heap_samples},
                          {MetricId::heap_live},
                          {MetricId::heap_live_variance},
                          {MetricId::heap_at_peak},
                          {MetricId::heap_at_peak_variance},
                          {MetricId::heap_at_peak, 0, SideValue::note}}};

// Of the process. Any thread changes them.
struct ProcessHeapFigures {
    std::uint64_t
        sample_bytes;  // an allocation is seen each time so many bytes were allocated; 1: all
    std::uint64_t live, peak;    // bytes not freed yet, and their largest number
    std::uint64_t peak_time;     // ticks, since recording began
    std::uint64_t not_recorded;  // bytes allocated where nothing is recorded
    std::uint64_t peak_number;   // counts the moments when `live` was larger than ever before
};
inline constexpr std::array<SideColumn, sizeof(ProcessHeapFigures) / sizeof(std::uint64_t)>
    process_heap_columns = {{{MetricId::heap_sample_bytes},
                             {MetricId::heap_process_live},
                             {MetricId::heap_peak},
                             {MetricId::heap_peak_time, 0, SideValue::ticks},
                             {MetricId::heap_not_recorded},
                             {MetricId::heap_peak, 0, SideValue::note}}};

// What was live at the latest peak is noted in a path's figures when they change for the first time
// after it. To be called before that, by any thread.
void note_peak(PathHeapFigures& figures, std::uint64_t peak_number);

// The same for all paths of a process. When nothing changes any more, all figures are then right.
void note_peaks(const ProcessRecord& process);

}  // namespace vftrace
