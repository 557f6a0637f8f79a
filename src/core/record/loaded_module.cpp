// Information derived only from a table of modules, which may be that of another process.
#include "record/loaded_module.hpp"

#include <cstring>

namespace vftrace {

std::uint16_t same_file_module(const ModuleTable& modules, std::uint16_t index) {
    const LoadedModule& wanted = modules.modules[index];
    for (std::uint16_t i = 0; i < index; i++) {
        const LoadedModule& other = modules.modules[i];
        if (std::strcmp(other.path, wanted.path) == 0 &&
            std::memcmp(&other.id, &wanted.id, sizeof wanted.id) == 0)
            return i;
    }
    return index;
}

}  // namespace vftrace
