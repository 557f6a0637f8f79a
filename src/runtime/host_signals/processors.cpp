#include "host_signals/processors.hpp"

#include <algorithm>
#include <tuple>

#include "host_signals/kernel_file.hpp"

namespace vftrace {
namespace {

struct Processor {
    std::uint32_t number, package, core_id;
};

auto place(const Processor& processor) {
    return std::tuple(processor.package, processor.core_id, processor.number);
}

}  // namespace

Processors::Processors(const std::string& system_files) {
    const std::string folder = system_files + "/devices/system/cpu/";
    std::vector<Processor> processors;
    for (const std::string& name : names_in_folder(folder, "cpu")) {
        const auto number = number_behind(name, "cpu");
        if (!number)
            continue;
        const auto package = number_in_file(folder + name + "/topology/physical_package_id");
        const auto core = number_in_file(folder + name + "/topology/core_id");
        const bool is_known = package && *package >= 0 && core && *core >= 0;  // -1: not known
        processors.push_back({*number, is_known ? static_cast<std::uint32_t>(*package) : 0,
                              is_known ? static_cast<std::uint32_t>(*core) : *number});
    }
    if (processors.empty())
        processors.push_back({0, 0, 0});
    std::sort(processors.begin(), processors.end(),
              [](const Processor& a, const Processor& b) { return place(a) < place(b); });
    for (const Processor& processor : processors) {
        if (cores_.empty() || cores_.back().package != processor.package ||
            cores_.back().id != processor.core_id)
            cores_.push_back({processor.package, processor.core_id, processor.number});
        if (packages_.empty() || packages_.back() != processor.package)
            packages_.push_back(processor.package);
        if (core_of_.size() <= processor.number)
            core_of_.resize(processor.number + 1);
        core_of_[processor.number] = static_cast<std::uint32_t>(cores_.size() - 1);
    }
}

std::uint32_t Processors::core_of(std::uint32_t processor) const {
    return processor < core_of_.size() ? core_of_[processor] : 0;
}

std::uint32_t Processors::package_of(std::uint32_t processor) const {
    return processor < core_of_.size() ? cores_[core_of_[processor]].package : 0;
}

const Processors::Core* Processors::core_with_id(std::uint32_t package, std::uint32_t id) const {
    const auto found = std::find_if(cores_.begin(), cores_.end(), [&](const Core& core) {
        return core.package == package && core.id == id;
    });
    return found == cores_.end() ? nullptr : &*found;
}

}  // namespace vftrace
