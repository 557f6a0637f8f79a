// Whether the program is sampled, and what that needs: a signal, and messages to the user.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/options.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Whether a program of that name is one that starts others: a launcher of MPI, a shell.
bool is_starter(std::string_view program);

// Recording has begun: begins to sample the calling thread and those that it will make, if
// `stack_sampling.frequency` says so.
void start_samples(const Options& options, const char* program);

// The library starts: sees to it that children of fork are sampled too.
void prepare_samples_beside_hooks(const Options& options);

// The first event has come, or the first of a child of fork: begins to sample the calling thread
// and those that it will create, in addition to hooks, if that is wanted and does no harm.
// Allocates nothing.
void start_samples_beside_hooks(const Options& options);

// No sample is taken any more, and the signal is the program's again: before the end of the run and
// before exec. Returns whether samples were taken until now; then resume_samples() can continue,
// where exec has failed. Async-signal-safe.
bool stop_samples();
void resume_samples();

// The program is about to set an alternate signal stack, of `bytes`.
void leave_alternate_stacks_to_program(std::size_t bytes);

// Notes in the record how the process is sampled.
void note_sampling(ProcessRecord& record);

}  // namespace vftrace
