#include "record/heap_figures.hpp"

#include "base/relaxed.hpp"
#include "record/process_record.hpp"

namespace vftrace {
void note_peak(HeapFigures& figures, std::uint64_t peak_number) {
    std::uint64_t noted = relaxed(figures.peak_number);
    if (noted == peak_number)
        return;
    // Of several threads one does it. Another that frees a block of the path at the same moment may
    // make it seem that this was free at the peak.
    if (__atomic_compare_exchange_n(&figures.peak_number, &noted, peak_number, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        set_shared(figures.at_peak, relaxed(figures.live));
        set_shared(figures.at_peak_variance, relaxed(figures.live_variance));
    }
}

void note_peaks(const ProcessRecord& process) {
    const std::uint64_t peak_number = relaxed(process.memory_peaks);
    for (const ThreadRecord* thread = process.threads; thread; thread = thread->next)
        for (HeapSite* site = __atomic_load_n(&thread->heap.first, __ATOMIC_ACQUIRE); site;
             site = __atomic_load_n(&site->next_created, __ATOMIC_ACQUIRE))
            note_peak(site->figures, peak_number);
}

}  // namespace vftrace
