// The package and core of each processor of the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vftrace {

class Processors {
  public:
    // From `system_files`/devices/system/cpu. If the kernel does not report them, each processor is
    // a separate core in package 0.
    explicit Processors(const std::string& system_files);

    // The kernel's number of the package; 0 if the processor is not known.
    std::uint32_t package_of(std::uint32_t processor) const;
    // Cores are numbered over all packages, from 0.
    std::uint32_t core_of(std::uint32_t processor) const;

    // The packages' numbers, sorted; at least one.
    const std::vector<std::uint32_t>& packages() const { return packages_; }

    struct Core {
        std::uint32_t package;
        std::uint32_t id;               // the kernel's number, unique in the package
        std::uint32_t first_processor;  // the others share the core with it
    };
    const std::vector<Core>& cores() const { return cores_; }  // by number
    // The kernel's core `id` of a package; nullptr if there is none.
    const Core* core_with_id(std::uint32_t package, std::uint32_t id) const;

  private:
    std::vector<Core> cores_;
    std::vector<std::uint32_t> packages_;
    std::vector<std::uint32_t> core_of_;  // by processor
};

}  // namespace vftrace
