// Turns the waits for locks of threads (record/lock_waits.hpp) into those of paths.
#pragma once

#include <vector>

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "symbol/code_file.hpp"

namespace vftrace {

class LockWaitsSum {
  public:
    // `profile` already has its paths.
    LockWaitsSum(Profile& profile, FunctionTable& functions, const NodePaths& paths,
                 CodeFiles& files)
        : profile_(profile), functions_(functions), paths_(paths), files_(files) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // Adds the rows to the profile.
    void finish();

  private:
    void look_up_names();

    Profile& profile_;
    FunctionTable& functions_;
    const NodePaths& paths_;
    CodeFiles& files_;
    std::vector<LockWait> rows_;
};

}  // namespace vftrace
