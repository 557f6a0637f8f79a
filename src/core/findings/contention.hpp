// How long threads of a run waited for processors: because of its own number of threads, and
// because of other programs on its hosts.
#pragma once

#include "findings/resource_figures.hpp"

namespace vftrace {

// All are 0 if the kernel's figures are not known.
struct Contention {
    // `elapsed_s`: of the run. `threads`: that could work at the same time, of all ranks.
    // `bound_s`: how long threads waited because too many of them may use only the same processors.
    Contention(const ResourceFigures& figures, double ranks, double threads, double elapsed_s,
               double bound_s = 0);

    double runnable = 0;    // threads on average that worked or waited for a processor
    double processors = 0;  // that all ranks together may use
    bool is_bound = false;  // threads wait while other processors of the hosts are idle
    // Parts of the time in which threads could run, 0 to 1: of the waiting, as much as the job's
    // own threads must wait if nothing else runs on its processors; the rest; and what the
    // hypervisor took of all processors for other machines.
    double own_share = 0, others_share = 0, stolen_share = 0;
    // By how many seconds others may have made each rank or thread wait for the rest of the job,
    // on average and at most: while one is without a processor, all others may wait for it.
    double delay_s = 0;

    double disturbed_share() const { return others_share + stolen_share; }
};

}  // namespace vftrace
