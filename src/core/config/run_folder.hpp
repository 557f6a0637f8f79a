// output_directory "@auto": a separate folder for each run, "heat-20261122T061054Z-4711", and next
// to it a link "latest" to the newest one.
//
// The name is that of the program followed by what identifies the run: the launcher's name for the
// job, which is the same for all ranks, or otherwise date, time (UTC) and process id. `vftrace run`
// chooses the name for everything that it starts, and passes it on in a variable. If the launcher
// provides nothing common to all ranks, those of one host agree on a name, until rank 0 sends its
// own in MPI_Init.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// The name of the variable in which `vftrace run` passes on the name of the folder.
inline constexpr const char* run_name_variable = "VFTRACE_RUN_NAME";

// Whether output_directory asks for such a folder: "@auto" or "<existing directory>/@auto".
bool is_run_folder(std::string_view output_directory);

struct RunName {
    std::string text;     // without '/'
    bool agreed = false;  // all processes of the run use it
};
// The name for a run of this program, as far as this process can determine it alone.
RunName run_name(std::string_view program);

// The directory in which the folders of runs are created: "<directory>" of "<directory>/@auto", "."
// of "@auto".
std::string directory_of_runs(std::string_view output_directory);

// Creates the folder of a run, when there is something to put into it, and makes the link "latest"
// next to it point to it. Anything else with that name is left alone. Only needs stack memory,
// because the first event of a process may come in a signal handler.
void make_run_folder(const char* folder);

}  // namespace vftrace
