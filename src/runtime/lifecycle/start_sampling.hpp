// Decides whether the program is sampled, and does what that requires: takes a signal, and prints
// messages to the user.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/options.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Whether a program of that name starts others: an MPI launcher, a shell.
bool is_starter(std::string_view program);

// Recording has begun: begins to sample the calling thread and those that it will create, if
// `stack_sampling.frequency` requests it.
void start_samples(const Options& options, const char* program);

// The library starts: makes sure that children of fork are sampled too.
void prepare_samples(const Options& options);

// The first event of the process, or of a child of fork, has occurred: begins to sample the calling
// thread and those that it will create, in addition to hooks, if that is wanted and harmless.
// Allocates nothing.
void start_samples_beside_hooks(const Options& options);

// Stops taking samples and gives the signal back to the program: before the end of the run and
// before exec. Returns whether samples were taken until now; then resume_samples() can continue, if
// exec has failed. Async-signal-safe.
bool stop_samples();
void resume_samples();

// The program is about to set an alternate signal stack of `bytes` bytes.
void leave_alternate_stacks_to_program(std::size_t bytes);

// Notes in the record how the process is sampled.
void note_sampling(ProcessRecord& record);

}  // namespace vftrace
