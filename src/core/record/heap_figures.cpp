#include "record/heap_figures.hpp"

#include <algorithm>

#include "base/relaxed.hpp"

namespace vftrace {
namespace {

// nullptr: the table is another one.
template <class Figures, std::size_t size>
Figures* figures_in(const SideTable& table, const SideRow& row,
                    const std::array<SideColumn, size>& columns) {
    const auto are_equal = [](const SideColumn& a, const SideColumn& b) {
        return a.metric == b.metric && a.index == b.index && a.value == b.value;
    };
    const SideColumn* const own = table.described();
    return std::equal(own, own + table.columns, columns.begin(), columns.end(), are_equal)
               ? reinterpret_cast<Figures*>(const_cast<SideRow&>(row).values())
               : nullptr;
}

}  // namespace

void note_peak(PathHeapFigures& figures, std::uint64_t peak_number) {
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
    std::uint64_t peak_number = 0;
    visit_side_tables(process, [&](const SideTable& table) {
        visit_side_rows(table, [&](const SideRow& row) {
            if (const auto* const figures =
                    figures_in<ProcessHeapFigures>(table, row, process_heap_columns))
                peak_number = relaxed(figures->peak_number);
        });
    });
    if (peak_number == 0)
        return;
    for (const ThreadRecord* thread = process.threads; thread; thread = thread->next)
        visit_side_tables(*thread, [&](const SideTable& table) {
            visit_side_rows(table, [&](const SideRow& row) {
                if (auto* const figures =
                        figures_in<PathHeapFigures>(table, row, path_heap_columns))
                    note_peak(*figures, peak_number);
            });
        });
}

}  // namespace vftrace
