// The names that the program gives to its threads.
//
// A thread has the name that the kernel knows, unless that is just the name of the program.
#pragma once

#include <pthread.h>

#include "record/process_record.hpp"

namespace vftrace {

// The main thread's name is what threads inherit. Called when recording starts.
void note_program_name();

// Asks the kernel what the calling thread is called.
void note_own_name(ThreadRecord& record);
// The same for all threads that still run.
void note_names_of_running_threads();

// The program gives a thread a name.
void set_thread_name(pthread_t thread, const char* name);

}  // namespace vftrace
