// The run of the process as a whole: from the loading of the library to the written profile.
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

// One object, made when the library starts and never destroyed: events may come until the very
// end of the process.
struct Run {
    Configuration configuration;
    std::string application;  // base name of the program
    std::string command_line;
    std::string output_base;  // absolute; "<dir>/<name>", to which "_all.log" etc. is appended
    std::string run_folder;   // the directory of it if it is this run's own, else empty
    bool run_folder_agreed = false;     // all processes of the run have this one
    bool directory_is_missing = false;  // of output_base: it is made at the end
    std::string config_text;            // the whole configuration as JSON
    std::string host;
    std::string job;          // the launcher's name for it, or empty
    std::string task_suffix;  // output_names.hpp
    int process = 0;          // that the library started in
    std::int64_t library_start_unix_ns = 0;
    std::int64_t start_unix_ns = 0;  // of recording
    ClockReading start{};
    std::uint64_t processor_ns = 0;  // processor time of all threads before that
};

extern RunPhase run_phase;
extern Run* run;           // nullptr: there is nothing to be recorded
extern bool start_failed;  // there was not enough memory; `run` may be nullptr

// Reads the configuration and prepares everything. Called by the library's constructor, or by the
// first event if that comes earlier. Later calls do nothing.
void start_library();

// main is about to be called: recording begins, unless it has or profiling is off.
void main_begins();

// Makes sure that this process has a record of its own to write to; a child of fork gets one too.
// Does nothing while nothing is recorded.
void ensure_record();

// The common part of the files' names: "<dir>/<name>", in a child of fork
// with the process's number.
std::string own_output_base();

// True if main_begins() will be called for this process.
bool main_is_wrapped();

enum class EndOfRun {
    process_exit,
    exec,          // the process continues as another program
    mpi_finalize,  // all ranks are here: their profiles become one
    mpi_abort      // this rank only
};

// Stops recording and writes the files. Later calls do nothing. Called by the library's
// destructor, unless MPI_Finalize or MPI_Abort came before.
void finish_run(EndOfRun how);

}  // namespace vftrace
