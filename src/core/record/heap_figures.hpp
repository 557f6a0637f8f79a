// What a path has allocated, and what of it has not been freed: as stored in memory with a thread's
// tree, and in the tree file.
//
//   ThreadRecord::heap.first -> HeapSite -> HeapSite ...    in the order of creation
//
// If allocations are sampled, each that is sampled represents several: their number, their bytes,
// and the variances of both are estimates that can be added up (record/heap_sampling.hpp).
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "record/address_rows.hpp"
#include "record/loaded_module.hpp"
#include "record/metrics.hpp"
#include "record/node.hpp"

namespace vftrace {

struct ProcessRecord;

// The thread itself adds to the first six; any thread that frees a block changes the others.
struct HeapFigures {
    std::uint64_t allocated;  // bytes
    double allocated_variance;
    double calls;
    double calls_variance;
    double temporary;       // of the calls those whose block was freed before the thread allocated
                            // another one
    std::uint64_t samples;  // allocations that were seen
    std::uint64_t live, live_variance;        // bytes not freed yet, and bytes squared
    std::uint64_t at_peak, at_peak_variance;  // the same when it was the peak of the process
    std::uint64_t peak_number;                // ProcessRecord::memory_peaks then
};

// The figures that can be added up, each with its metric.
inline constexpr std::tuple heap_figures{
    std::pair{MetricId::heap_allocated, &HeapFigures::allocated},
    std::pair{MetricId::heap_allocated_variance, &HeapFigures::allocated_variance},
    std::pair{MetricId::heap_calls, &HeapFigures::calls},
    std::pair{MetricId::heap_calls_variance, &HeapFigures::calls_variance},
    std::pair{MetricId::heap_temporary, &HeapFigures::temporary},
    std::pair{MetricId::heap_samples, &HeapFigures::samples},
    std::pair{MetricId::heap_live, &HeapFigures::live},
    std::pair{MetricId::heap_live_variance, &HeapFigures::live_variance},
    std::pair{MetricId::heap_at_peak, &HeapFigures::at_peak},
    std::pair{MetricId::heap_at_peak_variance, &HeapFigures::at_peak_variance}};
// Visits them as visit(metric, member).
template <class Visit>
void for_each_heap_figure(Visit visit) {
    std::apply([&](const auto&... figure) { (visit(figure.first, figure.second), ...); },
               heap_figures);
}

// Where one path allocates.
struct HeapSite {
    const Node* node;
    // The last byte of the instruction that calls, in the program or its libraries, with
    // retired_bit after the dlclose() of its module; 0: not known.
    std::uintptr_t pc;
    HeapSite* next_created;
    std::uint16_t module;  // index of LoadedModule, or no_module
    std::uint64_t path;    // a hash that the sites of all threads on the same call path share
    HeapFigures figures;
};

struct ThreadHeap {
    MappedTable<AddressIndexOf<HeapSite>> index;  // used only by its thread
    HeapSite* first;
    HeapSite* newest;
    std::uint32_t sites;
};

// Of one thread. Further ones are combined to one for each path.
inline constexpr std::uint32_t most_heap_sites = 32768;

// What was live at the latest peak is noted in the figures when they change for the first time
// after it. To be called before that, by any thread.
void note_peak(HeapFigures& figures, std::uint64_t peak_number);

// The same for all of a process. When nothing changes any more, all figures are then right.
void note_peaks(const ProcessRecord& process);

}  // namespace vftrace
