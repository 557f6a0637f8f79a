// Turns the addresses of samples (record/address_rows.hpp) into those of paths.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class PathAddressesSum {
  public:
    // `profile` already has its paths.
    PathAddressesSum(Profile& profile, FunctionTable& functions, const ModuleTable& modules)
        : profile_(profile), functions_(functions), modules_(modules) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // Adds the rows to the profile.
    void finish(double ns_per_tick);

  private:
    struct Address {
        std::uint32_t path, module;
        std::uint64_t offset, samples, ticks;
    };
    Profile& profile_;
    FunctionTable& functions_;
    const ModuleTable& modules_;
    std::vector<Address> addresses_;
    std::uint64_t left_out_ = 0;
};

}  // namespace vftrace
