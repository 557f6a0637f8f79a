#include "findings/contention.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// Parts of the time: of threads that wait although processors are idle.
constexpr double much_waiting = 0.2, much_idle = 0.3;

}  // namespace

Contention::Contention(const ResourceFigures& figures, double ranks, double threads,
                       double elapsed_s, double bound_s) {
    const double runnable_s = figures.waiting_s + figures.processor_s();
    const double waiting = figures.waiting_share();
    if (!(runnable_s > 0) || !(elapsed_s > 0) || !(waiting >= 0))
        return;
    runnable = runnable_s / elapsed_s;
    const double of_ranks = ranks * figures.allowed;
    processors = ranks == 1 ? of_ranks : std::min(figures.host_processors, of_ranks);
    is_bound = waiting >= much_waiting && figures.allowed < figures.host_processors &&
               figures.host_idle_s >= much_idle * figures.host_s;
    if (is_bound)
        own_share = waiting;
    else if (processors > 0 && runnable > processors)
        own_share = std::min(waiting, 1 - processors / runnable);
    own_share = std::max(own_share, std::min(waiting, bound_s / runnable_s));
    others_share = waiting - own_share;
    if (const double stolen = figures.stolen_share(); stolen > 0)
        stolen_share = stolen;
    const double parties = std::max(threads, 1.0);
    delay_s = std::min(disturbed_share() * runnable_s * (parties - 1) / parties, elapsed_s);
}

}  // namespace vftrace
