// What every check has seen in earlier runs (VFTR_TAINT_HISTORY), so that several runs of a
// deterministic program can follow more parameters than there are labels.
#ifndef VFTRACE_TAINT_RUNTIME_HISTORY_HPP
#define VFTRACE_TAINT_RUNTIME_HISTORY_HPP

#include "taint/runtime/program.hpp"

namespace vftrace::taint {

struct Thread;

extern bool history_kept;
inline bool history_is_kept() { return history_kept; }

// Reads the file if there is one. The parameters of earlier runs are then known.
void start_history();
// Returns what this check depends on, in this run and in earlier ones; the next check of this site
// is the next one in the file.
Parameters history_of_check(Thread& thread, const FunctionRecord& record, std::uint32_t site,
                            Parameters set);
// Writes the file. Returns whether the program did the same as in the previous run; also false if
// the file cannot be created.
bool write_history();

}  // namespace vftrace::taint

#endif
