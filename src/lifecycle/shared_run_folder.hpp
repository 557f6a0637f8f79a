// The folder of a run (config/run_folder.hpp) that its ranks share.
#pragma once

namespace vftrace {

// In MPI_Init: where ranks cannot know that they have the same name for it, they take that of rank
// 0. One that is alone with the library, or hears nothing within seconds, keeps its own.
void share_run_folder();

// Makes the folder if there is one, when there is something to put into it.
void make_own_run_folder();

}  // namespace vftrace
