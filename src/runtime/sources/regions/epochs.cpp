#include "regions/epochs.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/fnv.hpp"
#include "base/kernel_files.hpp"
#include "base/relaxed.hpp"
#include "guest/proc_status.hpp"
#include "regions/thread_regions.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/side_tables.hpp"

namespace vftrace {
namespace {

constexpr SideColumn columns[] = {{MetricId::region_epochs},
                                  {MetricId::region_before_epochs, 0, SideValue::ticks},
                                  {MetricId::region_machine},
                                  {MetricId::region_peak}};

std::uint64_t* values;

// Distinguishes hosts with equal names. Exact as a double.
std::uint64_t machine_number() {
    char text[64] = {};
    boot_id(text);
    return text[0] ? fnv1a(text) >> 16 : 0;
}

}  // namespace

void start_epochs() {
    values = new_process_values(columns);
    if (values)
        values[2] = machine_number();
}

void end_epochs() {
    constexpr std::uint64_t kibibyte = 1024;
    if (values)
        set_shared(values[3], kibibyte * number_in_status("/proc/self/status", "VmHWM"));
}

void forget_epochs() { values = nullptr; }

void count_epoch() {
    if (!values)
        return;
    if (__atomic_fetch_add(&values[0], 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&values[1], tree_ticks() - process_record->start.ticks, __ATOMIC_RELAXED);
    if (region_settings.page.page)
        __atomic_fetch_add(&region_settings.page.entry().epochs, 1, __ATOMIC_RELAXED);
}

}  // namespace vftrace
