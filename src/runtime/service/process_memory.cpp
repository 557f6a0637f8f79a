// The memory of the program: the source `memory`.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/proc_status.hpp"
#include "service/service_thread.hpp"
#include "tree/call_tree.hpp"
#include "tree/series.hpp"
#include "tree/side_tables.hpp"
#include "tree/source.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {
namespace {

SeriesRecord* resident;  // resident memory of this process
std::uint64_t* peak;
std::uint64_t* of_host;  // memory of the host, and the least that was available

constexpr std::uint64_t kibibyte = 1024;

std::uint64_t memory_of_host(std::string_view name) {
    return kibibyte * number_in_status("/proc/meminfo", name);
}

void read_memory() {
    std::uint64_t pages[2] = {};  // of address space, and of resident memory
    const bool known = numbers_in_line("/proc/self/statm", pages, 2) == 2;
    const std::uint64_t bytes = pages[1] * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    if (known && resident)
        add_reading(*resident, tree_ticks(), static_cast<double>(bytes));
    // The kernel's peak lags behind its current value.
    if (peak)
        set_shared(*peak, std::max({*peak, bytes,
                                    kibibyte * number_in_status("/proc/self/status", "VmHWM")}));
    if (!of_host)
        return;
    const std::uint64_t available = memory_of_host("MemAvailable");
    if (available != 0 && (of_host[1] == 0 || available < of_host[1]))
        set_shared(of_host[1], available);
}

TimedWork work = {.interval_ns = 0, .run = [] {
                      read_memory();
                      if (resident)
                          set_shared(resident->missed, work.missed);
                  }};

}  // namespace

constexpr Source memory_source = {
    .prepare =
        [](const Options& options) {
            constexpr double shortest = 1e-4;
            work.interval_ns = interval_ns(options.memory_interval, shortest);
        },
    .process_begins =
        [] {
            if (work.interval_ns == 0)
                return;
            constexpr SideColumn column = {MetricId::memory_peak};
            peak = new_process_values({&column, 1});
            if (const std::uint64_t total = memory_of_host("MemTotal")) {
                constexpr SideColumn columns[] = {{MetricId::memory_total},
                                                  {MetricId::memory_available}};
                of_host = new_process_values(columns);
                if (of_host)
                    set_shared(of_host[0], total);
            }
            resident = new_series(MetricId::memory_resident);
            if (const int error = every(work))
                message("memory.interval: cannot start the thread that reads the memory: %s",
                        std::strerror(error));
        },
    .forget_parent =
        [] {
            resident = nullptr;
            peak = of_host = nullptr;
        },
    .finish =
        [](ThreadState*) {
            if (work.interval_ns == 0)
                return;
            read_memory();
            if (resident)
                end_point(*resident, tree_ticks());
        }};

}  // namespace vftrace
