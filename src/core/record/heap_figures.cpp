#include "record/heap_figures.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "record/process_record.hpp"

namespace vftrace {
namespace {

bool is_of_heap(const SideTable& table) {
    const auto are_equal = [](const SideColumn& a, const SideColumn& b) {
        return a.metric == b.metric && a.index == b.index && a.value == b.value;
    };
    const SideColumn* const own = table.described();
    return std::equal(own, own + table.columns, process_heap_columns.begin(),
                      process_heap_columns.end(), are_equal);
}

// 0: there was none.
std::uint64_t latest_peak(const ProcessRecord& process) {
    std::uint64_t peak_number = 0;
    visit_side_tables(process, [&](const SideTable& table) {
        if (is_of_heap(table))
            visit_side_rows(table, [&](const SideRow& row) {
                peak_number =
                    relaxed(reinterpret_cast<const ProcessHeapFigures*>(row.values())->peak_number);
            });
    });
    return peak_number;
}

}  // namespace

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
    const std::uint64_t peak_number = latest_peak(process);
    if (peak_number == 0)
        return;
    for (const ThreadRecord* thread = process.threads; thread; thread = thread->next)
        for (HeapSite* site = __atomic_load_n(&thread->heap.first, __ATOMIC_ACQUIRE); site;
             site = __atomic_load_n(&site->next_created, __ATOMIC_ACQUIRE))
            note_peak(site->figures, peak_number);
}

}  // namespace vftrace
