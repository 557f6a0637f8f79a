// The names that the program gives to its threads.
//
// A thread's name is the one that the kernel knows, unless that is just the name of the program.
#pragma once

#include <pthread.h>

#include "record/process_record.hpp"

namespace vftrace {

// Remembers the main thread's name, which threads inherit. Called when recording starts.
void note_program_name();

// Reads the name of the calling thread from the kernel.
void note_own_name(ThreadRecord& record);
// The same for all threads that are still running.
void note_names_of_running_threads();

// The program gives a thread a name.
void set_thread_name(pthread_t thread, const char* name);

}  // namespace vftrace
