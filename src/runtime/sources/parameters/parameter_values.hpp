// The parameters of this process: those recorded by the program, and those given at its start.
//
// They are kept in separate memory, because they may be recorded before the record of the process
// exists, and are copied into it, where they outlive the process. A child of fork has its parent's.
#pragma once

namespace vftrace {

struct Options;        // config/options.hpp
struct ProcessRecord;  // record/process_record.hpp

// To be called when the library starts: takes those of the option `parameters`, and reports what is
// wrong with it.
void prepare_parameters(const Options& options);

// Adds all known parameters to a new record. Allocates only from the record's memory.
void note_parameters(ProcessRecord& record);

// Whether there is, or will be, something that a parameter belongs to: else profiling is off.
bool parameters_are_wanted();

enum class ParameterOutcome {
    recorded,
    too_many,  // there are most_parameters with other names
    busy  // another thread, or what this signal handler has interrupted, is about to record one
};

// May be called at any moment and on any thread. The last value of a name counts.
ParameterOutcome record_parameter(const char* name, double value);

}  // namespace vftrace
