// Where the result is written.
#ifndef VFTRACE_TAINT_RUNTIME_FILES_HPP
#define VFTRACE_TAINT_RUNTIME_FILES_HPP

namespace vftrace::taint {

// Reads the environment and the working directory, both of which the program may change.
void start_files();
const char* working_directory();
const char* application();
// The rank and the number of ranks of a job as its launcher reports them; null without a launcher.
const char* rank_of_launcher();
const char* ranks_of_launcher();
// DIRECTORY/BASE.parameters.json, with the rank if the program uses MPI.
const char* result_path();
// Makes the folder of the result if it is missing.
void make_result_folder();

}  // namespace vftrace::taint

#endif
