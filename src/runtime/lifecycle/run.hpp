// The run of the process as a whole: from loading the library to writing the profile.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "base/clock.hpp"
#include "config/config.hpp"

namespace vftrace {

enum class RunPhase {
    not_started,
    off,          // switched off, or a part of the start failed
    before_main,  // events are ignored until main
    recording,
    over
};

// One object, created when the library starts and never destroyed: events may arrive until the very
// end of the process.
struct Run {
    Configuration configuration;
    std::string application;  // base name of the program
    std::string command_line;
    std::string output_base;  // absolute; "<dir>/<name>", to which "_all.log" etc. is appended
    std::string run_folder;   // its directory if that belongs to this run only, else empty
    bool run_folder_agreed = false;     // all processes of the run use this folder
    bool directory_is_missing = false;  // of output_base; created at the end
    std::string config_text;            // the whole configuration as JSON
    std::string host;
    std::string job;          // the launcher's name for the job, or empty
    std::string task_suffix;  // output_names.hpp
    int process = 0;          // in which the library started
    std::int64_t library_start_unix_ns = 0;
    std::int64_t start_unix_ns = 0;  // of recording
    ClockReading start{};
    std::uint64_t processor_ns = 0;  // processor time of all threads before `start`
};

extern RunPhase run_phase;
extern Run* run;           // nullptr: nothing is to be recorded
extern bool start_failed;  // there was not enough memory; `run` may be nullptr

// Reads the configuration and prepares everything. Called by the library's constructor, or by the
// first event if that comes earlier. Later calls do nothing.
void start_library();

// main is about to be called: recording begins, unless it has or profiling is off.
void main_begins();

// Makes sure that this process has its own record; a child of fork gets a new one. Does nothing
// while nothing is recorded.
void ensure_record();

// The common part of the file names: "<dir>/<name>", followed by the process's number in a child of
// fork.
std::string own_output_base();

// True if main_begins() will be called for this process.
bool main_is_wrapped();

enum class EndOfRun {
    process_exit,
    exec,          // the process continues as another program
    mpi_finalize,  // all ranks are here: their profiles are collated
    mpi_abort      // this rank only
};

// Stops recording and writes the files. Later calls do nothing. Called by the library's
// destructor, unless MPI_Finalize or MPI_Abort came before.
void finish_run(EndOfRun how);

}  // namespace vftrace
