// output_directory "@auto": a folder of its own for each run, "heat-20261122T061054Z-4711", and
// next to it a link "latest" to the newest one.
//
// The name is that of the program followed by what identifies the run: the launcher's name for the
// job, which is the same for all ranks, or else date, time (UTC) and process id. `vftrace run`
// chooses it for everything that it starts, and passes it on in a variable. If the launcher
// provides nothing common to all ranks, those of one host agree on a name, until rank 0 sends its
// own in MPI_Init.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// Name of the variable in which `vftrace run` passes on the name of the folder.
inline constexpr const char* run_name_variable = "VFTRACE_RUN_NAME";

// Whether output_directory asks for such a folder: "@auto" or "<existing directory>/@auto".
bool is_run_folder(std::string_view output_directory);

struct RunName {
    std::string text;     // without '/'
    bool agreed = false;  // it is that of all processes of the run
};
// The name for a run of this program, as far as this process can determine it alone.
RunName run_name(std::string_view program);

// Where the folders of runs are made: "<directory>" of "<directory>/@auto", "." of "@auto".
std::string directory_of_runs(std::string_view output_directory);

// Makes the folder of a run, when there is something to put into it, and has the link "latest"
// next to it point to it. Something else of that name is left alone. Needs no memory but stack: the
// first event of a process may come in a signal handler.
void make_run_folder(const char* folder);

}  // namespace vftrace
