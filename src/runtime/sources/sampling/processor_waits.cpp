#include "sampling/processor_waits.hpp"

#include "guest/proc_status.hpp"
#include "guest/thread_files.hpp"

namespace vftrace {
ProcessorWaits processor_waits(int thread) {
    const ThreadFile schedule(thread, "schedstat"), status(thread, "status");
    std::uint64_t numbers[2];  // time on a processor, time spent waiting for one
    if (numbers_in_line(schedule.path(), numbers, 2) != 2)
        return {};
    const std::uint64_t interrupted = number_in_status(status.path(), "nonvoluntary_ctxt_switches");
    const std::uint64_t by_itself = number_in_status(status.path(), "voluntary_ctxt_switches");
    if (interrupted == 0)
        return {};
    const double part =
        static_cast<double>(interrupted) / static_cast<double>(interrupted + by_itself);
    return {static_cast<std::uint64_t>(static_cast<double>(numbers[1]) * part), interrupted};
}

}  // namespace vftrace
