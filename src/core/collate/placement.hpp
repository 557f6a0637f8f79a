// Turns what threads did with large blocks (record/placement_rows.hpp) into rows of paths.
#pragma once

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class PlacementSum {
  public:
    // `profile` already has its paths.
    PlacementSum(Profile& profile, FunctionTable& functions, const NodePaths& paths,
                 const ModuleTable& modules)
        : profile_(profile), functions_(functions), paths_(paths), modules_(modules) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // The rows of the profile are complete.
    void finish();

  private:
    Profile& profile_;
    FunctionTable& functions_;
    const NodePaths& paths_;
    const ModuleTable& modules_;
};

}  // namespace vftrace
