// What every check has seen in earlier runs (VFTR_TAINT_HISTORY), so that several runs of a
// deterministic program can follow more parameters than there are labels.
#ifndef VFTRACE_TAINT_RUNTIME_HISTORY_HPP
#define VFTRACE_TAINT_RUNTIME_HISTORY_HPP

#include "taint/runtime/program.hpp"

namespace vftrace::taint {

struct Thread;

extern bool history_kept;
inline bool history_is_kept() { return history_kept; }

// Reads the file if there is one. Parameters of the runs before are known then.
void start_history();
// What this check depends on, in this run and those before; the next check of this site is the next
// one in the file.
Parameters history_of_check(Thread& thread, const FunctionRecord& record, std::uint32_t site,
                            Parameters set);
// Writes the file. Whether the program did what it did in the run before.
bool write_history();

}  // namespace vftrace::taint

#endif
