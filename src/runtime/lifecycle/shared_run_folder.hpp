// The folder of a run (config/run_folder.hpp) that its ranks share.
#pragma once

namespace vftrace {

// Called in MPI_Init: if ranks cannot know that they have the same name for the folder, they use
// that of rank 0. A rank without other ranks that use the library, or that does not receive a name
// within seconds, keeps its own.
void share_run_folder();

// Creates the folder if the run has one; called when there is something to put into it.
void make_own_run_folder();

}  // namespace vftrace
