// Estimates energy by call path: the energy sampled in a region, on all hosts, is distributed to
// its paths by their exclusive times, and unmarked energy to paths outside all regions.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Puts the metrics region.path_energy and region.path_gpu_energy into the profile of a whole run,
// replacing those that it has. Call it after anything that adds up times and energies.
void estimate_energy_of_paths(Profile& profile);

}  // namespace vftrace
