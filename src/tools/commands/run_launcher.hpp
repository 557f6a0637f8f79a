// What `vftrace run -- mpirun ...` does so that its variables reach the processes on other
// machines.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

// Whether the executable is the mpirun of Open MPI, which starts processes on other machines
// without the variables of its own environment. The launchers of the MPICH family and of Slurm pass
// on all of them.
bool is_open_mpi_launcher(const std::string& path);

// Makes Open MPI's mpirun pass on LD_PRELOAD, if it is set, and all VFTR_ variables: through its
// parameter mca_base_env_list, or through -x if the command line has that, because mpirun accepts
// only one of the two. Variables that the user passes on are kept.
void hand_on_variables(std::vector<std::string>& command);

}  // namespace vftrace::tools
